import { approvals } from '#identity'
import { command, type App } from '#platform/http/operations'
import { AmountIn, Id, Money, named, Nullable } from '#platform/http/schema'
import { Type } from '#platform/http/type'
import { MICRO } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { PROVIDERS } from '../../core/model.ts'
import { recordInvoice } from './cost.ts'

const Provider = Type.Enum([...PROVIDERS])
const InvoiceBody = Type.Object({
  invoice: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]*$',
    description: 'Number of the invoice, as the provider wrote it',
    examples: ['INV-2026-0117'],
  }),
  amount: AmountIn,
})
const InvoiceRecord = named(
  'ProviderInvoice',
  Type.Object({
    provider: { ...Provider, description: 'Provider that sent the invoice' },
    invoice: Type.String({
      description: 'Its number, as the provider writes it',
      examples: ['INV-2026-0117'],
    }),
    amount: Money,
    journalId: Nullable({ ...Id, description: 'Journal of the payment; null while `approval` is awaited' }),
    approval: Type.Optional(approvals.ApprovalRecord),
  }),
)

export function providerRoutes(app: App, { config }: Services): void {
  const limit = BigInt(config.ADMIN_TRANSFER_LIMIT_USD) * MICRO
  command(app, {
    method: 'POST',
    url: '/admin/providers/{provider}/invoices',
    id: 'recordProviderInvoice',
    tag: 'Admin',
    summary: 'Record that an invoice of a model provider was paid',
    description:
      'Takes the amount from what is owed to the provider (ledger account 2110). One number is recorded once: the same request again ' +
      'returns the first journal, another amount is 409. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the ' +
      'response has `approval` and no journal.',
    access: { accept: ['jwt'], role: 'ADMIN' },
    params: Type.Object({ provider: { ...Provider, description: 'Provider that was paid' } }),
    excludeErrors: [404],
    body: InvoiceBody,
    idempotent: true,
    success: [201, InvoiceRecord],
    run: (tx, ctx, { params, body }) => recordInvoice(tx, ctx, { ...params, ...body }, limit),
  })
}
