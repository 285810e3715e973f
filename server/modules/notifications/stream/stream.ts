import { PassThrough, type Readable } from 'node:stream'
import { requireAgent } from '#agents'
import { invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { eventView } from '../events/view.ts'
import type { EventRow } from '../events/sql.ts'
import type { EventHub, Reader } from './hub.ts'

/** Proxies close a connection that is silent for longer. */
const KEEP_ALIVE_MS = 15_000
const RECONNECT_MS = 2000

interface Asked {
  agentId: string
  /** The header Last-Event-ID. */
  lastEventId: string | string[] | undefined
}

/** A stream of server-sent events about one agent: after `lastEventId`, or from now on. */
export async function openStream(
  { db }: Pick<Services, 'db'>,
  hub: EventHub,
  ctx: RequestContext,
  { agentId, lastEventId }: Asked,
): Promise<Readable> {
  await requireAgent(db, ctx, agentId)
  const after = positionOf(lastEventId) ?? (await hub.newest())
  const out = new PassThrough()
  const reader: Reader = {
    ctx,
    principal: ctx.principal,
    agentId,
    after,
    isReady: () => !out.writableNeedDrain && !out.destroyed,
    deliver: events => out.write(events.map(textOf).join('')),
    end: () => out.end(),
  }
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
function positionOf(lastEventId: Asked['lastEventId']): bigint | null {
  if (lastEventId === undefined || lastEventId === '') return null
  const [, digits] = /^(?:evt_)?(\d{1,18})$/.exec(String(lastEventId)) ?? []
  if (digits === undefined) throw invalid('Last-Event-ID must be the id of an event, or 0')
  return BigInt(digits)
}

const textOf = (event: EventRow): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventView(event))}\n\n`
