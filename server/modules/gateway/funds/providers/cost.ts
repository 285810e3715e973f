import { accounts, post } from '#ledger'
import { approvals, requireStepUp } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import { audit, type Author } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { ProviderId } from '../../core/model.ts'

const ASSET = 'USD'
const INVOICE = 'gateway.invoice'

/** What the platform bears of requests that no account pays for; micro-USD by provider. Returns the sum. */
export async function postProbeCost(
  tx: Tx,
  { principal: { accountId } }: RequestContext,
  costs: ReadonlyMap<ProviderId, bigint>,
): Promise<bigint> {
  const legs = [...costs]
    .filter(([, amount]) => amount > 0n)
    .map(
      ([provider, amount]) =>
        ({ debit: accounts.gatewayLoss, credit: accounts.provider(provider), amount, asset: ASSET }) as const,
    )
  if (legs.length)
    await post(tx, {
      kind: 'probe_cost',
      key: `probe-cost/${newId()}`,
      reference: { requestedBy: accountId },
      legs,
    })
  return legs.reduce((sum, { amount }) => sum + amount, 0n)
}

interface Invoice {
  provider: ProviderId
  /** Its number, as the provider wrote it. */
  invoice: string
  amount: number | string
}

/**
 * Records that an invoice of a provider was paid, once for each number: the same again returns the first journal, another amount is
 * 409. 403 without a fresh proof. Above `limit` (micro-units) nothing is posted: another admin approves.
 */
export async function recordInvoice(tx: Tx, ctx: RequestContext, input: Invoice, limit: bigint) {
  await requireStepUp(tx, ctx, tx.clock.real())
  const { provider, invoice } = input
  const amount = parseAmount(input.amount)
  const view = { provider, invoice, amount: formatMoney(amount) }
  if (amount <= limit) return { ...view, journalId: await postInvoice(tx, ctx, { ...input, amount }) }
  const approval = await approvals.requestApproval(tx, ctx, {
    kind: INVOICE,
    payload: { ...view, currency: ASSET },
  })
  return { ...view, journalId: null, approval }
}

/** Records a payment that another admin approved. */
export async function recordApprovedInvoice(
  tx: Tx,
  { approvalId, payload, requestedBy, approvedBy }: approvals.ApprovedRequest,
): Promise<Record<string, string>> {
  const { provider = '', invoice = '', amount = '' } = payload
  const order = { provider, invoice, amount: parseAmount(amount), details: { approvalId, requestedBy } }
  return { journalId: await postInvoice(tx, { by: ['admin', approvedBy] }, order) }
}

interface Payment {
  provider: string
  invoice: string
  amount: bigint
  details?: Record<string, string>
}

async function postInvoice(
  tx: Tx,
  by: Author,
  { provider, invoice, amount, details }: Payment,
): Promise<string> {
  const { id: journalId, replayed } = await post(tx, {
    kind: 'provider_invoice',
    key: `provider-invoice/${provider}/${invoice}`,
    reference: { provider, invoice },
    legs: [{ debit: accounts.provider(provider), credit: accounts.processor, amount, asset: ASSET }],
  })
  if (!replayed)
    await audit(tx, by, 'gateway.invoice_paid', {
      target: ['provider', provider],
      details: { invoice, amount: formatMoney(amount), journalId, ...details },
    })
  return journalId
}
