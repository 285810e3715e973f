import { Type } from '#platform/http/type'
import { approvals } from '#identity'
import { command, query, type App } from '#platform/http/operations'
import { Id, Moment, Money, named, Nullable, pageOf, PageOf, PageQuery } from '#platform/http/schema'
import { MICRO } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { exitSuspense, suspendedTransfers } from './watch/suspense.ts'

const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  examples: ['The payer sent the wrong amount'],
  description: 'Why, for the audit log',
})
const ADDRESS = '0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'
const Address = Type.String({ examples: [ADDRESS], description: 'Address on the chain' })

const ChainTransferRecord = named(
  'SuspendedTransfer',
  Type.Object({
    id: { ...Id, description: 'Id of the transfer (UUIDv7)' },
    paymentId: Nullable({ ...Id, description: 'Id of the payment whose address it went to; null for none' }),
    reason: Type.Union(
      [
        Type.Literal('UNDERPAID'),
        Type.Literal('OVERPAID'),
        Type.Literal('PAID_TWICE'),
        Type.Literal('UNMATCHED'),
        Type.Literal('WRONG_TOKEN'),
      ],
      { description: 'Why it matches no payment' },
    ),
    amount: { ...Money, description: 'Amount that arrived, in units of the token' },
    token: Address,
    network: Type.String({
      pattern: '^[a-z0-9-]+:[A-Za-z0-9_-]+$',
      examples: ['eip155:84532'],
      description: 'Chain in CAIP-2',
    }),
    payer: Address,
    payTo: Address,
    txHash: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$', description: 'Hash of the chain transaction' }),
    posted: Type.Boolean({
      description: 'False for another token than USDC, which the ledger does not support',
    }),
    resolution: {
      ...Nullable(
        Type.Union([Type.Literal('ASSIGNED'), Type.Literal('RETURNING'), Type.Literal('RETURNED')]),
      ),
      description: 'ASSIGNED to a wallet, RETURNING or RETURNED to the sender; null while it waits',
    },
    journalId: Nullable({ ...Id, description: 'Journal that took the money out of suspense; null before' }),
    createdAt: { ...Moment, description: 'When it arrived' },
    settledAt: Nullable({ ...Moment, description: 'When it was resolved; null while it waits' }),
  }),
)
/** Above the operator's limit nothing moved yet: `approval` says what is waited for. */
const TransferExit = Type.Object({
  item: { ...ChainTransferRecord, description: 'The transfer, unchanged while `approval` is awaited' },
  approval: Type.Optional({
    ...approvals.ApprovalRecord,
    description: "Above the operator's limit: the approval that another admin has to give",
  }),
})

/** The exits of account 2070 in USDC. */
export function x402AdminRoutes(app: App, { config }: Services): void {
  const limit = BigInt(config.ADMIN_TRANSFER_LIMIT_USD) * MICRO
  const exit = {
    method: 'POST',
    tag: 'Admin',
    access: { accept: ['jwt'], role: 'ADMIN' },
    params: Type.Object({ id: Id }),
    idempotent: true,
    success: [200, TransferExit],
  } as const
  const description =
    'Always the whole amount. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.'
  query(app, {
    method: 'GET',
    url: '/admin/x402/transfers',
    id: 'listSuspendedTransfers',
    tag: 'Admin',
    summary: 'List transfers on the chain that pay nothing',
    access: { accept: ['jwt'], role: 'ADMIN' },
    query: Type.Object({
      open: Type.Optional(Type.Boolean({ description: 'Only waiting items, or only settled items' })),
      ...PageQuery,
    }),
    success: [200, PageOf(ChainTransferRecord)],
    run: (q, _, { query: { open, ...rest } }) => suspendedTransfers(q, open, pageOf(rest)),
  })
  command(app, {
    ...exit,
    url: '/admin/x402/transfers/{id}/assign',
    id: 'assignSuspendedTransfer',
    summary: 'Credit a suspended transfer to a USDC wallet',
    description,
    body: Type.Object({ walletId: { ...Id, description: 'Wallet to credit, in USDC' }, reason: Reason }),
    run: (tx, ctx, { params: { id: transferId }, body }) =>
      exitSuspense(tx, ctx, { ...body, transferId }, limit),
  })
  command(app, {
    ...exit,
    url: '/admin/x402/transfers/{id}/return',
    id: 'returnSuspendedTransfer',
    summary: 'Send a suspended transfer back to its payer',
    description: `${description} The service sends it on the chain; the item is RETURNING until that is confirmed.`,
    body: Type.Object({ reason: Reason }),
    run: (tx, ctx, { params: { id: transferId }, body }) =>
      exitSuspense(tx, ctx, { ...body, transferId }, limit),
  })
}
