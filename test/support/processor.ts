import { newId } from '../../server/platform/id.ts'
import { signatureHeader } from '../../server/platform/processor/signature.ts'
import { registerHuman, type Person } from './people.ts'
import type { Answer, TestService } from './service.ts'

/** An event of the card processor. */
export const processorEvent = (type: string, object: object, id = `evt_${newId()}`) => ({ id, type, object: 'event', created: 1, livemode: false, data: { object } })

/** Sends one event, signed with PROCESSOR_WEBHOOK_SECRET of the service. */
export function notifyOf(service: TestService, event: object): Promise<Answer<{ outcome: string; message: string }>> {
  const body = JSON.stringify(event)
  const signature = signatureHeader(body, service.services.config.PROCESSOR_WEBHOOK_SECRET ?? '', new Date())
  return service.http('POST', '/webhooks/payment-processor/payment-intent', { body, headers: { 'payment-processor-signature': signature } })
}

/** A hosted page that waits for its payment, and the objects that would confirm or end it. */
export async function pendingPage(service: TestService, amount: number, person?: Person) {
  const payer = person ?? await registerHuman(service)
  const { body } = await service.http<{ transaction: { reference: { paymentId: string } } }>('POST', `/wallets/${payer.walletId}/fund`, { token: payer.token, body: { amount, rail: 'checkout' } })
  const metadata = { paymentId: body.transaction.reference.paymentId }
  const common = { currency: 'usd', metadata, balance_transaction: { fee: 59 } }
  return {
    payer,
    intent: { id: `pi_${newId()}`, amount_received: amount * 100, status: 'succeeded', ...common },
    session: { id: `cs_${newId()}`, amount_total: amount * 100, payment_status: 'paid', ...common },
  }
}

/** What a person can spend from the default wallet. */
export const availableOf = async (service: TestService, person: Person): Promise<string> =>
  (await service.http<{ available: string }>('GET', `/wallets/${person.walletId}`, { token: person.token })).body.available
