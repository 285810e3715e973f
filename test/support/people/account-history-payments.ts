import { collectWords, NEGOTIATED, WITHOUT_PAGE, type Trade } from './account-history-deals.ts'
import { must, type DealView } from './deals.ts'
import { mine, Payer, type X402Answer } from './payer.ts'
import type { TestService } from '../service/service.ts'

/** An address of the person to which nothing is paid. */
export const UNPAID_ADDRESS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

/** Payments in USDC by the person, for a deal, and to the agent of the person. */
export async function payInUsdc(service: TestService, trade: Trade): Promise<void> {
  const { call, client, market, seller, living } = trade
  const { token } = trade.person
  const payer = await Payer.open(service, 2001)
  await collectWords(client, living, async () => {
    const terms = {
      responderAgentId: seller.id,
      budget: 1,
      currency: 'USDC',
      service: null,
      milestones: null,
    }
    const { id } = await call<DealView>('negotiate', { token, body: terms })
    await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
    const body = { negotiationId: id, rail: 'x402', ...WITHOUT_PAGE, ...NEGOTIATED }
    const { checkout } = await call<{ checkout: { url: string } }>('initiateAp2Payment', { token, body })
    // The payment of this client repeats what is paid for.
    const paid = await (await payer.fetch())(checkout.url)
    if (paid.status !== 200) throw new Error(`cannot pay: ${paid.status} ${await paid.text()}`)
  })
  await earn(service, trade, payer)
}

/**
 * The agent of the person is paid in USDC, in a payment that has its name, and requests a payout that is never sent: it is
 * so large that an admin must approve it.
 */
async function earn(
  service: TestService,
  { call, person, market, agent }: Trade,
  payer: Payer,
): Promise<void> {
  const body = { agentId: agent.id, amount: 2000 }
  const { paymentRequest } = await must<X402Answer>(market, 'buyer', '/payments/x402/initiate', body)
  await payer.transfer(paymentRequest.to, 2_000_000_000n)
  await mine(service)
  await call('requestAgentPayout', {
    token: person.token,
    body: { ...body, rail: 'chain', toAddress: UNPAID_ADDRESS },
  })
}
