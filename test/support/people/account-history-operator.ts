import type { Scene } from './account-history-deals.ts'
import { publishAgent, registerHuman } from './people.ts'
import { mine, Payer, type X402Answer } from './payer.ts'
import { closeDispute, disputedFunding } from './processor.ts'
import type { TestService } from '../service/service.ts'

/** Lets the person contest a chargeback as an operator, and give up what its payer owes. */
export async function chargebacks(
  service: TestService,
  { call, person: { token }, market: { admin, outsider } }: Scene,
): Promise<void> {
  const payer = await registerHuman(service)
  const before = async () => {
    const { status, text } = await service.http('POST', `/wallets/${payer.walletId}/transfer`, {
      token: payer.token,
      body: { toWalletId: outsider.walletId, amount: 20 },
    })
    if (status !== 201) throw new Error(`cannot spend: ${status} ${text}`)
  }
  const { chargebackId, disputeId } = await disputedFunding(service, { admin, payer, amount: 20, before })
  await call('submitChargebackEvidence', { token, path: { id: chargebackId } })
  await closeDispute(service, admin, { disputeId, won: false })
  await call('writeOffChargeback', { token, path: { id: chargebackId } })
}

/** Lets the person decide as an operator about transfers on the chain that pay nothing. */
export async function chainTransfers(
  service: TestService,
  { call, person: { token }, market: { outsider, admin } }: Scene,
): Promise<void> {
  const payer = await Payer.open(service, 10)
  const { body: requested } = await service.http<X402Answer>('POST', '/payments/x402/initiate', {
    token: outsider.token,
    body: { agentId: (await publishAgent(service, outsider)).id, amount: 3 },
  })
  for (const amount of [1n, 2n]) await payer.transfer(requested.paymentRequest.to, amount)
  await mine(service)
  const { body: listed } = await service.http<{ items: { id: string }[] }>('GET', '/admin/x402/transfers', {
    token: admin,
  })
  const [first, second] = listed.items
  const { body: wallet } = await service.http<{ id: string }>('POST', '/wallets', {
    token: outsider.token,
    body: { currency: 'USDC' },
  })
  await call('assignSuspendedTransfer', {
    token,
    path: { id: first?.id ?? '' },
    body: { walletId: wallet.id },
  })
  await call('returnSuspendedTransfer', { token, path: { id: second?.id ?? '' } })
}
