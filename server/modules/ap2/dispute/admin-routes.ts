import { command, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { escrowViewFor, settledView } from '../views/responses.ts'
import { resolveEscrow } from './decision.ts'
import { unfreezeEscrow } from '../escrow/freeze.ts'
import { IdPath } from '../deal/schema.ts'
import { Escrow, Settlement, UnfreezeBody } from '../escrow/schema.ts'
import { ResolveBody } from './schema.ts'

export function adminRoutes(app: App, { jobs }: Services): void {
  const write = {
    method: 'POST',
    tag: 'Escrow and payments',
    access: { accept: ['jwt'], role: 'ADMIN' },
    idempotent: true,
    params: IdPath,
  } as const

  command(app, {
    ...write,
    url: '/payments/escrow/{id}/resolve',
    id: 'resolveEscrow',
    summary: 'Resolve an escrow',
    body: ResolveBody,
    success: [201, Settlement],
    description:
      'Decides a disputed or frozen escrow in any way; a HELD escrow can be released if it is verified, or refunded. ' +
      'What the buyer gets goes to the wallet, or with `to: "card"` to the card that paid. Not for a party to the deal. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes.',
    example: { outcome: 'SPLIT', sellerBps: 5000, reason: 'Half of it was delivered' },
    run: async (tx, ctx, { params, body }) =>
      settledView(ctx, await resolveEscrow(tx, ctx, params.id, { ...body, jobs })),
  })
  command(app, {
    ...write,
    url: '/payments/escrow/{id}/unfreeze',
    id: 'unfreezeEscrow',
    summary: 'Unfreeze an escrow',
    body: UnfreezeBody,
    success: [201, Escrow],
    run: async (tx, ctx, { params, body }) =>
      escrowViewFor(ctx, await unfreezeEscrow(tx, ctx, params.id, body)),
  })
}
