import type { Tx } from '#platform/db'
import { route, type App } from '#platform/http/route'
import { once } from '#platform/idempotency'
import type { Services } from '#platform/services'
import { escrowAnswer } from '../answers.ts'
import { requestChanges } from '../changes.ts'
import { answerDispute, openDispute, withdrawDispute } from '../dispute.ts'
import { requestDisputeMails } from '../dispute-mail.ts'
import { AnswerBody, ChangesBody, DisputeBody, Escrow, IdPath, RefundBody } from '../schema.ts'

export function disputeRoutes(app: App, { db, jobs }: Services): void {
  const write = {
    method: 'POST', tag: 'Escrow and payments', auth: 'service', scope: 'ap2:execute', idempotent: true, params: IdPath,
    reply: { 201: Escrow },
  } as const

  route(app, {
    ...write, url: '/payments/escrow/{id}/dispute', id: 'openDispute', summary: 'Open a dispute',
    body: DisputeBody,
    description: 'Timers stop and both parties are told by mail. The other party has 5 days to answer; an operator decides an answered dispute. '
      + 'A seller who does not answer refunds what is unreleased. A buyer who does not answer pays for what has a verified delivery; '
      + 'without one the dispute waits for an operator. 60 days after the first dispute of the escrow (and at least 7 days after this one) '
      + 'the money goes back to the buyer. `asks` tells the operator what you want.',
    example: { reason: 'The notes are of another version', asks: 'REFUND' },
    handle: async ({ actor, params, body, request, reply }) => once(db, request, reply, async tx => {
      const { id } = await openDispute(tx, actor, params.id, body)
      await requestDisputeMails(tx, jobs, id, 'opened')
      return escrowAnswer(tx, actor, params.id)
    }),
  })
  route(app, {
    ...write, url: '/payments/escrow/{id}/dispute/respond', id: 'answerDispute', summary: 'Respond to a dispute',
    body: AnswerBody, example: { statement: 'It is the version that was agreed' },
    handle: async ({ actor, params, body, request, reply }) => once(db, request, reply, async tx => {
      await answerDispute(tx, actor, params.id, body)
      return escrowAnswer(tx, actor, params.id)
    }),
  })
  route(app, {
    ...write, url: '/payments/escrow/{id}/dispute/withdraw', id: 'withdrawDispute',
    summary: 'Withdraw a dispute', body: RefundBody,
    description: 'For the party that opened it, at most once for each side of an escrow. The escrow is HELD again, and its '
      + 'deadlines continue with the time that was left.',
    handle: async ({ actor, params, request, reply }) => once(db, request, reply, async (tx: Tx) => {
      await withdrawDispute(tx, actor, params.id)
      return escrowAnswer(tx, actor, params.id)
    }),
  })
  route(app, {
    ...write, url: '/payments/escrow/{id}/changes', id: 'requestChanges', summary: 'Request changes to a delivery',
    body: ChangesBody,
    description: 'For the buyer, at most 3 times. The release timer stops, and the seller has at least 7 more days to deliver '
      + 'again.',
    example: { reason: 'Please add the breaking changes' },
    handle: async ({ actor, params, body, request, reply }) => once(db, request, reply, async tx => {
      await requestChanges(tx, actor, params.id, body)
      return escrowAnswer(tx, actor, params.id)
    }),
  })
}
