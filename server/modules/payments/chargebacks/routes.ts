import { Type } from '#platform/http/type'
import { command, query, resumableCommand, type App } from '#platform/http/operations'
import { Id, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import { MICRO } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { writeOff } from '../receivables/write-off.ts'
import { submitEvidence } from './evidence.ts'
import { ChargebackRecord, ChargebackState, Evidence, WriteOff, WrittenOff } from './schema.ts'
import { chargebackView, chargebackViews } from './view.ts'

/** Longer than the processor is waited for. */
const LONGEST_MS = 30_000

export function chargebackRoutes(app: App, services: Services): void {
  const admin = { tag: 'Admin', access: { accept: ['jwt'], role: 'ADMIN' } } as const
  const params = Type.Object({ id: Id })
  query(app, {
    ...admin,
    method: 'GET',
    url: '/admin/chargebacks',
    id: 'listChargebacks',
    summary: 'List chargebacks',
    query: Type.Object({ status: Type.Optional(ChargebackState), ...PageQuery }),
    success: [200, PageOf(ChargebackRecord)],
    run: (q, _, { query: { status, ...rest } }) => chargebackViews(q, status, pageOf(rest)),
  })
  query(app, {
    ...admin,
    method: 'GET',
    url: '/admin/chargebacks/{id}',
    id: 'getChargeback',
    summary: 'Get a chargeback',
    params,
    success: [200, ChargebackRecord],
    run: (q, _, { params: { id } }) => chargebackView(q, id),
  })
  resumableCommand(app, {
    ...admin,
    method: 'POST',
    url: '/admin/chargebacks/{id}/evidence',
    id: 'submitChargebackEvidence',
    summary: 'Submit evidence for a chargeback',
    description:
      'The processor accepts evidence once, while the status is NEEDS_RESPONSE and before `respondBy`. 503 means that ' +
      'the processor did not respond: submit it again.',
    params,
    body: Evidence,
    success: [200, ChargebackRecord],
    longestMs: LONGEST_MS,
    isFinal: () => true,
    run: (_id, ctx, { params: { id }, body: { text } }) => submitEvidence(services, ctx, { id, text }),
  })
  command(app, {
    ...admin,
    method: 'POST',
    url: '/admin/chargebacks/{id}/write-off',
    id: 'writeOffChargeback',
    summary: 'Write off what is owed from a lost chargeback',
    description:
      'Always the whole open amount. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.',
    params,
    body: WriteOff,
    idempotent: true,
    success: [200, WrittenOff],
    run: (tx, ctx, { params: { id: chargebackId }, body: { reason } }) =>
      writeOff(tx, ctx, { chargebackId, reason }, BigInt(services.config.ADMIN_TRANSFER_LIMIT_USD) * MICRO),
  })
}
