import assert from 'node:assert/strict'
import type { App } from '#platform/http/operation'
import { describeErrors } from '#platform/http/validation-messages'
import { ApiError, apiError, COMMON, envelope, ValidationError } from '#platform/kernel/errors'
import type { Log } from '#platform/adapters/log/log'
import { Refusal } from '../call.ts'
import { MCP } from '../errors.ts'
import { tools } from '../tools/index.ts'
import type { Tool, Toolbox } from '../tools/tool.ts'

interface ToolCall {
  name: string
  arguments?: Record<string, unknown>
  toolbox: Toolbox
  app: App
  log: Log
}

/** Runs a tool. An error is a result with `isError`, so that the model reads it; `_meta.error` is the envelope of the API. */
export async function runTool(call: ToolCall) {
  try {
    const tool = tools.find(({ name }) => name === call.name)
    if (!tool)
      throw apiError(MCP.UNKNOWN_TOOL, { hint: `Tools: ${tools.map(({ name }) => name).join(', ')}` })
    const result = await tool.run(call.toolbox, requireArguments(tool, call))
    return {
      content: [{ type: 'text' as const, text: JSON.stringify(result) }],
      structuredContent: result as Record<string, unknown>,
    }
  } catch (error) {
    return failure(envelopeOf(error, call))
  }
}

function requireArguments(tool: Tool, { app, arguments: given = {} }: ToolCall): unknown {
  const validate = validatorOf(tool, app)
  if (validate(given) === true) return given
  throw apiError(MCP.INVALID_ARGUMENTS, {
    hint: describeErrors(validate.errors ?? [], 'arguments').join('; '),
  })
}

type Validate = ReturnType<NonNullable<App['validatorCompiler']>>

// Compiled once: the tools are the same for all services of the process.
const validators = new Map<Tool, Validate>()

/** The validator of request bodies: it limits what it does for a large input. */
function validatorOf(tool: Tool, app: App): Validate {
  const known = validators.get(tool)
  if (known) return known
  assert(app.validatorCompiler, 'The application has no validator')
  const compiled = app.validatorCompiler({
    schema: tool.input,
    httpPart: 'body',
    method: 'POST',
    url: '/mcp',
  })
  validators.set(tool, compiled)
  return compiled
}

function envelopeOf(error: unknown, { toolbox: { ctx }, name, log }: ToolCall): Record<string, unknown> {
  if (error instanceof Refusal) return error.envelope
  if (error instanceof ApiError)
    return envelope(error.row, error.extra, error instanceof ValidationError ? error.messages : undefined)
  log.error({ err: error, requestId: ctx.requestId, tool: name }, 'MCP tool failed')
  return envelope(COMMON.INTERNAL_ERROR, { hint: `Send this request id to the operator: ${ctx.requestId}` })
}

function failure(error: Record<string, unknown>) {
  const message = Array.isArray(error.message) ? error.message.join('; ') : String(error.message)
  const hint = typeof error.hint === 'string' ? `. ${error.hint}` : ''
  const text = `${String(error.code)}: ${message}${hint}`
  return { isError: true, content: [{ type: 'text' as const, text }], _meta: { error } }
}
