import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation'
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
  validator: jsonSchemaValidator
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

function requireArguments(tool: Tool, { validator, arguments: given = {} }: ToolCall): unknown {
  const { valid, errorMessage } = validatorOf(tool, validator)(given)
  if (!valid) throw apiError(MCP.INVALID_ARGUMENTS, { hint: errorMessage })
  return given
}

// Compiled once: the tools are the same for all services of the process.
const validators = new Map<Tool, ReturnType<jsonSchemaValidator['getValidator']>>()

function validatorOf(tool: Tool, validator: jsonSchemaValidator) {
  const compiled = validators.get(tool) ?? validator.getValidator(tool.input)
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
