import { agentById } from '#agents'
import { a2aRequested, a2aRequestEnded } from '#a2a'
import { offerAccepted, offerCreated } from '#market'
import { runAwaitsApproval, runCreated, runEnded, runSettled } from '#runs'
import type { Binding } from '#platform/kernel/bindings'
import { insertIntoOutbox } from '#platform/kernel/background/outbox'
import type { Tx } from '#platform/kernel/db'
import type { DomainEvent } from '#platform/kernel/events'
import { formatMoney } from '#platform/kernel/money'
import { sql } from '#platform/kernel/sql'
import type { EventType } from './types.ts'

export const NOTICE_TOPIC = 'notifications.notice'

/** `data.reason` of a run that ended before anybody approved it. */
export const NOT_APPROVED = 'NOT_APPROVED'

export interface NoticeSide {
  role: 'buyer' | 'seller' | 'requester' | 'responder'
  agentId: string | null
  accountId: string
  organizationId: string | null
}

/** What happened to something that is no deal. Contains no text of a party. */
export interface Notice {
  type: EventType
  /** Of the run, the request or the offer. */
  subjectId: string
  data: Record<string, string | boolean | null>
  sides: NoticeSide[]
  /** ISO 8601. */
  at: string
  /** Of a run that ended: its escrow is frozen, so that the money moves later. */
  isUnsettled?: boolean
}

const RUN_ENDS: Readonly<Record<string, EventType>> = {
  SUCCEEDED: 'run.succeeded',
  FAILED: 'run.failed',
  TIMED_OUT: 'run.failed',
  CANCELLED: 'run.canceled',
}
const REQUEST_ENDS = {
  ACCEPTED: 'a2a.accepted',
  REJECTED: 'a2a.rejected',
  EXPIRED: 'a2a.expired',
} as const satisfies Record<string, EventType>

type PayloadOf<Event> = Event extends DomainEvent<infer Payload> ? Payload : never

/** Subscribers that put runs, requests for collaboration and offers of the market into the log of events. */
export const noticeSubscribers = (): Binding[] => [
  runAwaitsApproval.with((tx, run) => noteRun(tx, run, { type: 'run.awaiting_approval', isOrdered: false })),
  runCreated.with((tx, run) => noteRun(tx, run, { type: 'run.created', isOrdered: true })),
  runEnded.with((tx, run) => noteRun(tx, run, { type: RUN_ENDS[run.status] ?? 'run.failed', ...run })),
  runSettled.with(noteSettledRun),
  a2aRequested.with((tx, request) => noteRequest(tx, 'a2a.requested', request)),
  a2aRequestEnded.with((tx, request) => noteRequest(tx, REQUEST_ENDS[request.status], request)),
  offerCreated.with((tx, offer) => noteOffer(tx, 'offer.created', offer)),
  offerAccepted.with((tx, offer) =>
    noteOffer(tx, 'offer.accepted', offer, { negotiationId: offer.negotiationId }),
  ),
]

/** The seller learns of a run, and of its end, once it is ordered: after the approval if it needs one. */
async function noteRun(
  tx: Tx,
  run: PayloadOf<typeof runCreated>,
  { type, isOrdered, isSettled = true }: { type: EventType; isOrdered: boolean; isSettled?: boolean },
): Promise<void> {
  const { runId, agentId } = run
  const [buyer, data] = [buyerOf(run), dataOf(run)]
  await note(tx, {
    type,
    subjectId: runId,
    data: type === 'run.failed' && !isOrdered ? { ...data, reason: NOT_APPROVED } : data,
    sides: isOrdered ? [buyer, await sideOfAgent(tx, 'seller', agentId)] : [buyer],
    ...(isSettled ? {} : { isUnsettled: true }),
  })
}

/** The seller of a run that was never approved got no other notice of it. */
async function noteSettledRun(tx: Tx, run: PayloadOf<typeof runSettled>): Promise<void> {
  const { runId, agentId, status, released, refunded } = run
  const isOfSeller = released > 0n || status === 'SUCCEEDED'
  await note(tx, {
    type: 'run.settled',
    subjectId: runId,
    data: { ...dataOf(run), released: formatMoney(released), refunded: formatMoney(refunded) },
    sides: [buyerOf(run), ...(isOfSeller ? [await sideOfAgent(tx, 'seller', agentId)] : [])],
  })
}

type RunNotice = PayloadOf<typeof runCreated>

const buyerOf = (run: RunNotice): NoticeSide => ({
  role: 'buyer',
  agentId: run.buyerAgentId,
  accountId: run.buyerAccountId,
  organizationId: run.buyerOrganizationId,
})

const dataOf = ({ runId, agentId, status, price, currency, test }: RunNotice) => ({
  runId,
  agentId,
  status,
  price: formatMoney(price),
  currency,
  test,
})

async function noteRequest(tx: Tx, type: EventType, request: PayloadOf<typeof a2aRequested>): Promise<void> {
  const { requestId, requesterAgentId, responderAgentId } = request
  await note(tx, {
    type,
    subjectId: requestId,
    data: { requestId, requesterAgentId, responderAgentId },
    sides: [
      await sideOfAgent(tx, 'requester', requesterAgentId),
      await sideOfAgent(tx, 'responder', responderAgentId),
    ],
  })
}

async function noteOffer(
  tx: Tx,
  type: EventType,
  offer: PayloadOf<typeof offerCreated>,
  more: Notice['data'] = {},
): Promise<void> {
  const { offerId, needId, price, currency } = offer
  const { buyerAgentId, buyerAccountId, buyerOrganizationId } = offer
  await note(tx, {
    type,
    subjectId: offerId,
    data: { offerId, needId, price: formatMoney(price), currency, ...more },
    sides: [
      {
        role: 'buyer',
        agentId: buyerAgentId,
        accountId: buyerAccountId,
        organizationId: buyerOrganizationId,
      },
      {
        role: 'seller',
        agentId: offer.sellerAgentId,
        accountId: offer.sellerAccountId,
        organizationId: null,
      },
    ],
  })
}

async function sideOfAgent(tx: Tx, role: NoticeSide['role'], agentId: string): Promise<NoticeSide> {
  const agent = await agentById(tx, agentId)
  if (!agent) throw new Error(`no agent ${agentId}`)
  return { role, agentId, accountId: agent.ownerId, organizationId: null }
}

async function note(tx: Tx, notice: Omit<Notice, 'at'>): Promise<void> {
  const message: Notice = { ...notice, at: tx.now.toISOString() }
  await tx.run(sql`${insertIntoOutbox(NOTICE_TOPIC, message)}`)
}
