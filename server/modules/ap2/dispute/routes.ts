import { command, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { escrowViewFor } from '../views/responses.ts'
import { requestChanges } from '../negotiation/request-changes.ts'
import { answerDispute, openDispute, withdrawDispute } from './dispute.ts'
import { requestDisputeMails } from './mail.ts'
import { IdPath } from '../deal/schema.ts'
import { Escrow, RefundBody } from '../escrow/schema.ts'
import { ChangesBody } from '../negotiation/schema.ts'
import { AnswerBody, DisputeBody } from './schema.ts'

/** What every command on a disputed escrow has. */
const write = {
  method: 'POST',
  tag: 'Escrow and payments',
  access: { accept: ['jwt', 'sk'], scope: 'ap2:execute' },
  idempotent: true,
  params: IdPath,
  success: [201, Escrow],
} as const

export function disputeRoutes(app: App, { jobs }: Services): void {
  command(app, {
    ...write,
    url: '/payments/escrow/{id}/dispute',
    id: 'openDispute',
    summary: 'Open a dispute',
    body: DisputeBody,
    description:
      'Timers stop and both parties are notified by mail. The other party has 5 days to answer; an operator decides an answered dispute. ' +
      'A seller who does not answer refunds what is unreleased. A buyer who does not answer pays for what has a verified delivery; ' +
      'without one the dispute waits for an operator. 60 days after the first dispute of the escrow (and at least 7 days after this one) ' +
      'the money goes back to the buyer. `asks` shows the operator what you request.',
    example: { reason: 'The notes are of another version', asks: 'REFUND' },
    run: async (tx, ctx, { params, body }) => {
      const { deal, disputeId } = await openDispute(tx, ctx, params.id, body)
      await requestDisputeMails(tx, jobs, disputeId, 'opened')
      return escrowViewFor(ctx, deal)
    },
  })
  command(app, {
    ...write,
    url: '/payments/escrow/{id}/dispute/respond',
    id: 'answerDispute',
    summary: 'Respond to a dispute',
    body: AnswerBody,
    example: { statement: 'It is the version that was agreed' },
    run: async (tx, ctx, { params, body }) =>
      escrowViewFor(ctx, await answerDispute(tx, ctx, params.id, body)),
  })
  command(app, {
    ...write,
    url: '/payments/escrow/{id}/dispute/withdraw',
    id: 'withdrawDispute',
    summary: 'Withdraw a dispute',
    body: RefundBody,
    description:
      'For the party that opened it, at most once for each party and escrow. The escrow is HELD again, and its ' +
      'deadlines continue with the remaining time.',
    run: async (tx, ctx, { params }) => escrowViewFor(ctx, await withdrawDispute(tx, ctx, params.id)),
  })
  command(app, {
    ...write,
    url: '/payments/escrow/{id}/changes',
    id: 'requestChanges',
    summary: 'Request changes to a delivery',
    body: ChangesBody,
    description:
      'For the buyer, at most 3 times. The release timer stops, and the seller has at least 7 more days to deliver ' +
      'again.',
    example: { reason: 'Please add the breaking changes' },
    run: async (tx, ctx, { params, body }) =>
      escrowViewFor(ctx, await requestChanges(tx, ctx, params.id, body)),
  })
}
