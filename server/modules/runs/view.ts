import type { Static } from '#platform/http/type'
import { allowedEvents } from '#platform/kernel/machine'
import { formatMoney } from '#platform/kernel/money'
import { runMachine } from './run-machine.ts'
import type { Execution } from './schema.ts'
import type { Run } from './sql.ts'

type Party = 'buyer' | 'seller'

/** A run as one of its parties sees it. The buyer sees the output once it is paid. */
export function runView(run: Run, party: Party): Static<typeof Execution> {
  return { ...runSummary(run, party), input: run.input, output: outputFor(run, party) }
}

export const outputFor = (run: Pick<Run, 'output' | 'payment'>, party: Party): unknown =>
  party === 'seller' || run.payment === 'FREE' || run.payment === 'RELEASED' || run.payment === 'SPLIT'
    ? run.output
    : null

/** Without input and output, for lists. */
export const runSummary = (run: Run, party: Party) => ({
  id: run.id,
  agentId: run.agentId,
  buyerId: run.buyerAccountId,
  initiatorAgentId: run.buyerAgentId,
  status: run.status,
  price: formatMoney(run.price),
  currency: run.currency,
  test: run.test,
  payment: run.payment,
  escrowId: run.escrowId,
  negotiationId: run.negotiationId,
  jobReference: run.jobReference,
  error: run.errorCode === null ? null : { code: run.errorCode, message: run.errorMessage },
  attempts: run.attempts,
  deadline: run.deadlineAt?.toISOString() ?? null,
  allowedActions: [...allowedEvents(runMachine, run.status, [party])],
  createdAt: run.createdAt.toISOString(),
  startedAt: run.startedAt?.toISOString() ?? null,
  endedAt: run.endedAt?.toISOString() ?? null,
})
