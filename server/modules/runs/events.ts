import { defineEvent } from '#platform/kernel/events'
import type { Asset } from '#platform/kernel/money'
import type { RunStatus } from './run-machine.ts'

interface RunEvent {
  runId: string
  agentId: string
  buyerAgentId: string | null
  buyerAccountId: string
  buyerOrganizationId: string | null
  status: RunStatus
  /** In micro-units. */
  price: bigint
  currency: Asset
  test: boolean
}

/** A run above the threshold of its buyer waits for the approval of the owner. The seller is notified when it is approved. */
export const runAwaitsApproval = defineEvent<RunEvent>('run.awaiting_approval')

/** A run of an agent was ordered, after its approval if it needed one: the agent can begin. */
export const runCreated = defineEvent<RunEvent>('run.created')

/**
 * A run ended: it succeeded, failed, was not reported in time, or was canceled. `isOrdered` is false if it was never
 * approved: the seller was not notified of it. `isSettled` is false if its escrow is frozen: the money moves later.
 */
export const runEnded = defineEvent<RunEvent & { isOrdered: boolean; isSettled: boolean }>('run.ended')

/**
 * The escrow of a run ended after the run, because it was frozen, or by the decision of an operator. What went to the
 * seller, before the fee, and back to the buyer, in micro-units.
 */
export const runSettled = defineEvent<RunEvent & { released: bigint; refunded: bigint }>('run.settled')
