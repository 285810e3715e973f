import { disputedFunding, registerHuman } from '#test'
import { call } from './fixtures.ts'
import type { Prepare } from './targets.ts'

/** A hosted page that nobody has paid. */
export const cardPayment: Prepare = async ({ service }, { token, walletId }) => {
  const body = { amount: 1, rail: 'checkout' }
  const { transaction } = await call<{ transaction: { id: string } }>(
    service,
    `POST /wallets/${walletId}/fund`,
    { token, body },
  )
  return { ids: [transaction.id] }
}

/** Of a payment that funded the wallet of somebody else. */
export const chargeback: Prepare = async ({ service, admin }) => {
  const payer = await registerHuman(service)
  return { ids: [(await disputedFunding(service, { admin, payer, amount: 5 })).chargebackId] }
}

/** With a part that nobody held. */
export const lostChargeback: Prepare = async ({ service, admin, partner }) => {
  const payer = await registerHuman(service)
  const lost = async (): Promise<void> => {
    await call(service, `POST /wallets/${payer.walletId}/transfer`, {
      token: payer.token,
      body: { toWalletId: partner.walletId, amount: 5 },
    })
  }
  const { chargebackId, disputeId } = await disputedFunding(service, {
    admin,
    payer,
    amount: 5,
    before: lost,
  })
  await call(service, `POST /sandbox/processor/disputes/${disputeId}/close`, {
    token: admin,
    body: { won: false },
  })
  return { ids: [chargebackId] }
}

export const reconciliation: Prepare = async ({ service, admin }) => {
  const { id } = await call(service, 'POST /admin/reconciliation', { token: admin, body: {} })
  return { ids: [id] }
}

/** Of the tenant's wallet. */
export const ledgerAccount: Prepare = async (_, { walletId }) => ({ ids: [`2010:${walletId}`] })
/** Of the test credit that the tenants got. */
export const journal: Prepare = async ({ service, admin }) => {
  const path = 'GET /admin/ledger/accounts/1090/entries'
  const { items } = await call<{ items: { journalId: string }[] }>(service, path, { token: admin })
  return { ids: [items[0]?.journalId ?? ''] }
}
