import { DEAL_TOPIC, type DealNotice } from '#ap2'
import type { Db, Tx } from '#platform/kernel/db'
import { isOutboxFilled, takeFromOutbox } from '#platform/kernel/background/outbox'
import { dealEvents, type DealEvent } from './deal-events.ts'
import { NOTICE_TOPIC, type Notice } from './notice.ts'
import { insertPartyEvents, type NewPartyEvent } from './party-sql.ts'
import { insertEvents, lockEventLog, type EventRow, type NewEvent } from './sql.ts'

const BATCH = 200
const TOPICS = [DEAL_TOPIC, NOTICE_TOPIC]

export interface ChangedDeal {
  notice: DealNotice
  events: DealEvent[]
}

/** What else follows from events, in the same transaction. */
export type Followers = (
  tx: Tx,
  events: readonly EventRow[],
  taken: { deals: readonly ChangedDeal[]; notices: readonly Notice[] },
) => Promise<void>

/**
 * Turns what the outbox holds into events of agents. The rows of one deal are written under its lock, so that they are
 * taken in their order. Does nothing while another instance does it.
 */
export async function projectEvents(db: Db, follow: Followers): Promise<void> {
  for (;;) {
    if (!(await db.polls.one(isOutboxFilled(TOPICS))).filled) return
    const taken = await db.transaction(async tx => projectBatch(tx, follow))
    if (taken < BATCH) return
  }
}

async function projectBatch(tx: Tx, follow: Followers): Promise<number> {
  if (!(await tx.one(lockEventLog())).locked) return 0
  const messages = await tx.rows(takeFromOutbox(TOPICS, BATCH))
  const parts = messages.map(({ topic, body }) =>
    topic === DEAL_TOPIC ? partOfDeal(body as DealNotice) : partOfNotice(body as Notice),
  )
  const planned = parts.flatMap(part => part.forAgents)
  const forParties = parts.flatMap(part => part.forParties)
  if (forParties.length) await tx.run(insertPartyEvents(forParties))
  const events = planned.length ? await tx.rows(insertEvents(planned)) : []
  await follow(tx, events, {
    deals: parts.flatMap(({ deal }) => deal ?? []),
    notices: parts.flatMap(({ notice }) => notice ?? []),
  })
  return messages.length
}

/** What becomes of one message, in the order of the messages. */
interface Part {
  forAgents: NewEvent[]
  forParties: NewPartyEvent[]
  deal?: ChangedDeal
  notice?: Notice
}

function partOfDeal(notice: DealNotice): Part {
  const deal = { notice, events: dealEvents(notice) }
  return { forAgents: eventsOfDeal(deal), forParties: partyEventsOfDeal(deal), deal }
}

function partOfNotice(notice: Notice): Part {
  const { type, subjectId, sides } = notice
  const at = new Date(notice.at)
  const events = sides.map(side => ({ side, event: { type, data: { ...notice.data, role: side.role }, at } }))
  return {
    forAgents: events.flatMap(({ side: { agentId }, event }) =>
      agentId === null ? [] : [{ ...event, agentId, subjectId }],
    ),
    forParties: events.map(({ side, event }) => ({
      ...event,
      partyId: side.organizationId ?? side.accountId,
    })),
    notice,
  }
}

function dealOf({ negotiationId, escrowId, status, escrowStatus, price, currency, test }: DealNotice) {
  return { negotiationId, escrowId, status, escrowStatus, price, currency, test }
}

/** The events for the party of each side: its organization, or its account. */
export function partyEventsOfDeal({ notice, events }: ChangedDeal): NewPartyEvent[] {
  const deal = dealOf(notice)
  const sides = (['buyer', 'seller'] as const).map(role => {
    const { organizationId, accountId } = notice[role]
    return { role, partyId: organizationId ?? accountId }
  })
  return events.flatMap(({ type, by, at }) =>
    sides.map(({ role, partyId }) => ({ partyId, type, data: { ...deal, role, by }, at: new Date(at) })),
  )
}

/** The same events for the agent of each side. */
export function eventsOfDeal({ notice, events }: ChangedDeal): NewEvent[] {
  const { negotiationId } = notice
  const deal = dealOf(notice)
  const sides = (['buyer', 'seller'] as const).flatMap(role => {
    const { agentId } = notice[role]
    return agentId === null ? [] : [{ agentId, role }]
  })
  return events.flatMap(({ type, by, at }) =>
    sides.map(({ agentId, role }) => ({
      agentId,
      subjectId: negotiationId,
      type,
      data: { ...deal, role, by },
      at: new Date(at),
    })),
  )
}
