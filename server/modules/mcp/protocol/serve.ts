import { Readable } from 'node:stream'
import type { App, HttpRequest } from '#platform/http/operation'
import type { RequestContext } from '#platform/http/principal'
import { media, type MediaResponse } from '#platform/http/response'
import { apiError } from '#platform/kernel/errors'
import type { Log } from '#platform/adapters/log/log'
import { isRecord } from '#platform/kernel/unknown'
import { createCaller } from '../call.ts'
import { MCP } from '../errors.ts'
import { tools } from '../tools/index.ts'
import type { Confirmations, Outcome } from './confirmations.ts'
import { keyOf, replyIn, type Message } from './message.ts'
import { runTool } from './run.ts'
import { loadSdk, type Sdk } from './sdk.ts'
import { newSessionId, sessionOf, type Session } from './session.ts'

const INFO = { name: 'svc', title: 'Agent marketplace', version: '1.0.0' }
const INSTRUCTIONS = `A marketplace where agents hire agents. To buy: search_agents, then hire_agent (listed price or budget, paid at once) or open_negotiation, respond_to_negotiation and pay_deal. Money stays in escrow until release_payment; check the work with get_delivery before, and ask for another version with request_changes. To sell: list_deals with role seller, respond_to_negotiation, deliver_work. If the parties disagree: open_dispute, respond_to_dispute, withdraw_dispute.`
const JSON_TYPE = 'application/json'

export interface Exchange {
  message: Message
  ctx: RequestContext
  http: HttpRequest
}

interface Parts {
  app: App
  confirmations: Confirmations
  log: Log
}

/**
 * Answers one message. Each request has a server of its own that ends with it: nothing remains between requests but questions to
 * users, whose tool call is open meanwhile.
 */
export async function answerMessage(parts: Parts, exchange: Exchange): Promise<MediaResponse> {
  const { message, ctx, http } = exchange
  const isStart = message.method === 'initialize'
  const session = sessionOf(isStart ? undefined : http.headers['mcp-session-id'])
  const from = { accountId: ctx.principal.accountId, sessionId: session.id ?? '' }
  const reply = replyIn(message, from)
  if (reply) {
    await parts.confirmations.reply(reply)
    return media('', JSON_TYPE, { status: 202 })
  }
  const response = await serve(parts, exchange, session)
  const headers = isStart ? { 'mcp-session-id': newSessionId(message.params) } : undefined
  return toMedia(response, headers)
}

async function serve(parts: Parts, exchange: Exchange, session: Session): Promise<Response> {
  const { message, http } = exchange
  const sdk = await loadSdk()
  // A question to the user goes over the open response, as an event before the result.
  const isStream = session.canAsk && callsAskingTool(message)
  const transport = new sdk.Transport({ enableJsonResponse: !isStream })
  const server = createServer(sdk, parts, { ...exchange, session, transport })
  await server.connect(transport)
  const request = new Request('http://localhost/mcp', { method: 'POST', headers: headersOf(http) })
  const response = await transport.handleRequest(request, { parsedBody: message })
  if (!isStream) await server.close()
  return response
}

interface Served extends Exchange {
  session: Session
  transport: InstanceType<Sdk['Transport']>
}

function createServer(sdk: Sdk, { app, confirmations, log }: Parts, served: Served) {
  const { ctx, http, session, transport } = served
  const mcp = new sdk.McpServer(INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS })
  mcp.server.setRequestHandler(sdk.ListTools, () => ({ tools: tools.map(listed) }))
  mcp.server.setRequestHandler(sdk.CallTool, ({ params }, { requestId }) => {
    const confirm = async (question: string) => {
      if (!session.canAsk || session.id === null) return
      const origin = {
        accountId: ctx.principal.accountId,
        sessionId: session.id,
        requestId: keyOf(requestId),
      }
      const send = (id: string) => transport.send(elicitation(id, question), { relatedRequestId: requestId })
      requireYes(await confirmations.ask(origin, { send, closed: http.closed() }))
    }
    const toolbox = { call: createCaller(app, http, ctx.requestId), ctx, confirm }
    return runTool({ ...params, toolbox, app, log })
  })
  return mcp
}

function callsAskingTool({ method, params }: Message): boolean {
  if (method !== 'tools/call' || !isRecord(params)) return false
  return tools.some(({ name, asksUser }) => name === params.name && asksUser)
}

const listed = ({ name, title, description, annotations, input, output }: (typeof tools)[number]) => ({
  name,
  title,
  description,
  annotations: { title, ...annotations },
  inputSchema: { ...input, type: 'object' as const },
  outputSchema: { ...output, type: 'object' as const },
})

const elicitation = (id: string, message: string) => ({
  jsonrpc: '2.0' as const,
  id,
  method: 'elicitation/create',
  params: {
    message,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Confirm', description: message, default: false } },
      required: ['confirm'],
    },
  },
})

const HINTS: Record<Exclude<Outcome, 'accepted'>, string> = {
  declined: 'The user declined: nothing was paid',
  cancelled: 'The user or the client cancelled: nothing was paid',
  expired: 'The user did not answer in time: nothing was paid',
}

function requireYes(outcome: Outcome): void {
  if (outcome !== 'accepted') throw apiError(MCP.NOT_CONFIRMED, { hint: HINTS[outcome] })
}

/** The headers that the protocol reads. A client that takes any media type takes both that it knows. */
const headersOf = ({ headers }: HttpRequest): Record<string, string> => ({
  ...textsOf(headers, ['content-type', 'mcp-protocol-version']),
  accept: (headers.accept ?? '*/*').replace('*/*', `${JSON_TYPE}, text/event-stream`),
})

const textsOf = (headers: HttpRequest['headers'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap(name => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )

async function toMedia(response: Response, more: Record<string, string> = {}): Promise<MediaResponse> {
  const { status, headers, body } = response
  const type = headers.get('content-type') ?? JSON_TYPE
  if (body === null || !type.startsWith('text/event-stream'))
    return media(await response.text(), type, { status, headers: more })
  const streaming = { 'cache-control': 'no-store', 'x-accel-buffering': 'no', ...more }
  return media(Readable.fromWeb(body), type, { status, headers: streaming })
}
