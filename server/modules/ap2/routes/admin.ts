import { route, type App } from '#platform/http/route'
import { once } from '#platform/idempotency'
import type { Services } from '#platform/services'
import { escrowAnswer, settledAnswer } from '../answers.ts'
import { resolveEscrow } from '../dispute.ts'
import { unfreezeEscrow } from '../freeze.ts'
import { Escrow, IdPath, ResolveBody, Settlement, UnfreezeBody } from '../schema.ts'

export function adminRoutes(app: App, { db }: Services): void {
  const write = { method: 'POST', tag: 'Escrow and payments', auth: 'admin', idempotent: true, params: IdPath } as const

  route(app, {
    ...write, url: '/payments/escrow/{id}/resolve', id: 'resolveEscrow', summary: 'Resolve an escrow',
    body: ResolveBody, reply: { 201: Settlement },
    description: 'Decides a disputed or frozen escrow in any way; a HELD escrow can be released if it is verified, or refunded. '
      + 'Not for a party to the deal. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes.',
    example: { outcome: 'SPLIT', sellerBps: 5000, reason: 'Half of it was delivered' },
    handle: async ({ actor, params, body, request, reply }) =>
      once(db, request, reply, async tx => settledAnswer(tx, actor, await resolveEscrow(tx, actor, params.id, body))),
  })
  route(app, {
    ...write, url: '/payments/escrow/{id}/unfreeze', id: 'unfreezeEscrow', summary: 'Unfreeze an escrow',
    body: UnfreezeBody, reply: { 201: Escrow },
    handle: async ({ actor, params, body, request, reply }) => once(db, request, reply, async tx => {
      await unfreezeEscrow(tx, actor, params.id, body)
      return escrowAnswer(tx, actor, params.id)
    }),
  })
}
