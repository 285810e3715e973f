import { empty, naming, ONE_DOLLAR, REASON, sending, toPartnerAs } from '../bodies.ts'
import * as money from '../money-targets.ts'
import { byAdmin, type Row } from '../row.ts'
import * as at from '../targets.ts'

/** What admins alone may do. */
export const admins: Row[] = [
  byAdmin('GET /admin/overview'),
  byAdmin('GET /admin/settings'),
  byAdmin('GET /admin/background'),
  byAdmin('GET /admin/users'),
  byAdmin('GET /admin/users/{id}', 200, { target: at.person }),
  byAdmin('GET /admin/wallets', 200, { query: 'accountId=0198c0de-0000-7000-8000-000000000001' }),
  byAdmin('GET /admin/escrows'),
  byAdmin('GET /admin/payouts'),
  byAdmin('GET /admin/ledger/accounts'),
  byAdmin('GET /admin/ledger/accounts/{account}/entries', 200, { target: money.ledgerAccount }),
  byAdmin('GET /admin/ledger/journals/{id}', 200, { target: money.journal }),
  byAdmin('POST /admin/users/{id}/role', 200, {
    target: at.person,
    ...sending({ role: 'USER' }),
    settable: ['role'],
  }),
  byAdmin('POST /admin/users/{id}/suspend', 200, { target: at.person, ...REASON }),
  byAdmin('POST /admin/users/{id}/reinstate', 200, { target: at.suspendedPerson, ...empty }),
  byAdmin('POST /admin/users/{id}/reset-mfa', 200, { target: at.person }),
  byAdmin('POST /admin/agents/{id}/suspend', 200, { target: at.agent, ...empty }),
  byAdmin('POST /admin/agents/{id}/reinstate', 200, { target: at.suspendedAgent, ...empty }),
  byAdmin('POST /admin/signing-keys/rotate'),
  byAdmin('GET /admin/audit'),
  byAdmin('GET /admin/approvals'),
  byAdmin('POST /admin/approvals/{id}/approve', 200, { target: at.approval, ...empty }),
  byAdmin('POST /admin/approvals/{id}/reject', 200, { target: at.approval, ...REASON }),
  byAdmin('GET /admin/trial-balance'),
  byAdmin('GET /admin/suspense'),
  byAdmin('POST /admin/suspense/{id}/assign', 200, { target: at.suspense, body: toPartnerAs('walletId') }),
  byAdmin('POST /admin/suspense/{id}/return', 200, { target: at.suspense, ...REASON }),
  byAdmin('GET /admin/reconciliation'),
  byAdmin('GET /admin/reconciliation/{id}', 200, { target: money.reconciliation }),
  byAdmin('POST /admin/reconciliation', 201, empty),
  byAdmin('GET /admin/chargebacks'),
  byAdmin('GET /admin/chargebacks/{id}', 200, { target: money.chargeback }),
  byAdmin('POST /admin/chargebacks/{id}/evidence', 200, {
    target: money.chargeback,
    ...sending({ text: 'The work was delivered' }),
  }),
  byAdmin('POST /admin/chargebacks/{id}/write-off', 200, { target: money.lostChargeback, ...REASON }),
  byAdmin('POST /admin/promotions', 201, { target: at.wallet, ...naming('walletId', ONE_DOLLAR) }),
  {
    operation: 'POST /admin/providers/{provider}/invoices',
    word: 'admin',
    expect: { own: 403, others: 403, admin: 201 },
    target: async () => ({ ids: ['openai'] }),
    ...sending({ invoice: 'INV-1', amount: 1 }),
  },
  byAdmin('GET /admin/unclaimed'),
  byAdmin('POST /admin/unclaimed/{walletId}/assign', 200, {
    target: at.unclaimed,
    body: toPartnerAs('toWalletId'),
  }),
]
