import { rulesOf } from '../deal/tier.ts'
import { command, commandWithFollowUp, resumableCommand, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import {
  CompleteBody,
  Completed,
  ConfirmedRelease,
  ConfirmReleaseBody,
  Initiated,
  InitiateBody,
} from '../escrow/schema.ts'
import { completeFunding } from './complete.ts'
import { confirmCardRelease } from './confirm-release.ts'
import { fundEscrow } from './fund.ts'

/** Longer than the processor and its notification together are waited for. */
const LONGEST_MS = 20_000
const SOME_ID = '0198c0de-0000-7000-8000-000000000001'
const pay = {
  method: 'POST',
  tag: 'Escrow and payments',
  access: { accept: ['jwt', 'sk'], scope: 'ap2:execute' },
  errors: [404],
} as const

/** How money gets into an escrow, and what its payer asks about it. */
export function fundingRoutes(app: App, services: Services): void {
  const rules = rulesOf(services)
  commandWithFollowUp(app, {
    ...pay,
    url: '/payments/ap2/initiate',
    id: 'initiateAp2Payment',
    summary: 'Pay a deal into escrow',
    body: InitiateBody,
    success: [201, Initiated],
    example: { negotiationId: SOME_ID },
    longestMs: LONGEST_MS,
    run: (tx, ctx, { body, subjectId }) =>
      fundEscrow(tx, ctx, body, { services, rules, requestId: subjectId }),
  })
  resumableCommand(app, {
    ...pay,
    url: '/payments/ap2/complete',
    id: 'completeAp2Payment',
    summary: 'Check whether the funding has settled',
    body: CompleteBody,
    success: [201, Completed],
    example: { escrowId: SOME_ID, status: 'SETTLED' },
    longestMs: LONGEST_MS,
    isFinal: ({ status }) => status !== 'PENDING_FUNDING',
    run: (_, ctx, { body }) => completeFunding(services, ctx, body),
  })
  command(app, {
    ...pay,
    idempotent: true,
    url: '/payments/ap2/confirm-stripe-release',
    id: 'confirmCardRelease',
    summary: 'Confirm the release of a card-funded escrow',
    body: ConfirmReleaseBody,
    success: [201, ConfirmedRelease],
    example: { escrowId: SOME_ID },
    run: (tx, ctx, { body }) => confirmCardRelease(tx, ctx, body),
  })
}
