import { PassThrough, type Readable } from 'node:stream'
import { requireAgent } from '#agents'
import { invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { eventView, partyEventView } from '../events/view.ts'
import { partiesOf, type AccountHub } from './account-hub.ts'
import type { AgentHub } from './agent-hub.ts'
import type { EventHub, Reader } from './hub.ts'

/** Proxies close a connection that is silent for longer. */
const KEEP_ALIVE_MS = 15_000
const RECONNECT_MS = 2000

/** The header Last-Event-ID. */
type LastEventId = string | string[] | undefined

/** A stream of server-sent events about one agent: after `lastEventId`, or from now on. */
export async function openAgentStream(
  { db }: Pick<Services, 'db'>,
  hub: AgentHub,
  ctx: RequestContext,
  { agentId, lastEventId }: { agentId: string; lastEventId: LastEventId },
): Promise<Readable> {
  await requireAgent(db, ctx, agentId)
  return openStream(hub, { ctx, subjectId: agentId, lastEventId, subject: {}, view: eventView })
}

/** The same about the deals of an account, and of the organizations that it runs. */
export async function openAccountStream(
  { db }: Pick<Services, 'db'>,
  hub: AccountHub,
  ctx: RequestContext,
  lastEventId: LastEventId,
): Promise<Readable> {
  const subject = { partyIds: await partiesOf(db, ctx) }
  const subjectId = ctx.principal.accountId
  return openStream(hub, { ctx, subjectId, lastEventId, subject, view: partyEventView })
}

interface Asked<Row, Subject> {
  ctx: RequestContext
  subjectId: string
  lastEventId: LastEventId
  subject: Subject
  view(row: Row): { type: string }
}

async function openStream<Row extends { id: bigint }, Subject extends object>(
  hub: EventHub<Row, Subject>,
  { ctx, subjectId, lastEventId, subject, view }: Asked<Row, Subject>,
): Promise<Readable> {
  const after = positionOf(lastEventId) ?? (await hub.newest())
  const out = new PassThrough()
  const textOf = (event: Row): string => {
    const data = view(event)
    return `id: ${event.id}\nevent: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
  }
  const stream: Reader<Row> = {
    ctx,
    principal: ctx.principal,
    subjectId,
    after,
    isReady: () => !out.writableNeedDrain && !out.destroyed,
    deliver: events => out.write(events.map(textOf).join('')),
    end: () => out.end(),
  }
  const reader = { ...stream, ...subject }
  hub.add(reader)
  const keepAlive = setInterval(() => {
    if (!out.writableNeedDrain) out.write(': keep-alive\n\n')
  }, KEEP_ALIVE_MS)
  out.on('close', () => {
    clearInterval(keepAlive)
    hub.remove(reader)
  })
  // With the position, so that a client that is cut off before the first event resumes here.
  out.write(`id: ${after}\nretry: ${RECONNECT_MS}\n\n`)
  return out
}

/** The number of an event, or null without the header. Accepts `evt_12` too, the id in the data. */
function positionOf(lastEventId: LastEventId): bigint | null {
  if (lastEventId === undefined || lastEventId === '') return null
  const [, digits] = /^(?:evt_)?(\d{1,18})$/.exec(String(lastEventId)) ?? []
  if (digits === undefined) throw invalid('Last-Event-ID must be the id of an event, or 0')
  return BigInt(digits)
}
