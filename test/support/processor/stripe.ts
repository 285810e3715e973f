import assert from 'node:assert/strict'
import { StripeProcessor } from '../../../server/modules/payments/processors/stripe/processor.ts'
import type { ContractFixture } from './contract.ts'
import { StripeServer } from './stripe-server.ts'

const METHODS: Record<string, string> = {
  '4242424242424242': 'pm_card_visa',
  '4000000000000002': 'pm_card_chargeDeclined',
  '4000002760003184': 'pm_card_authenticationRequired',
}

export interface StripeFixture extends ContractFixture {
  server: StripeServer
}

/** The Stripe adapter before a local Stripe; `close` fails if a request was not as Stripe wants it. */
export async function openStripeFixture(secretKey = 'sk_test_of_the_fixture'): Promise<StripeFixture> {
  const server = await new StripeServer(secretKey).start()
  const { objects, wire } = server
  const settings = { secretKey, apiUrl: server.url, publicUrl: 'https://market.example' }
  return {
    server,
    processor: new StripeProcessor(settings),
    now: () => new Date(objects.now() * 1000),
    advance: async ms => objects.advance(Math.round(ms / 1000)),
    payCheckout: async (checkoutId, cardNumber) =>
      server.paySession(checkoutId, METHODS[cardNumber] ?? cardNumber),
    onboard: async (accountId, bank) => {
      const requirements = { currently_due: [], past_due: [], disabled_reason: null }
      Object.assign(objects.find('account', accountId), {
        details_submitted: true,
        payouts_enabled: true,
        requirements,
        bank,
        external_accounts: { object: 'list', data: [{ fingerprint: `fingerprint of ${bank}` }] },
      })
    },
    openDispute: async processorId => objects.dispute(processorId).id,
    disputeOf: async processorId =>
      objects.all('dispute', ({ payment_intent }) => payment_intent === processorId)[0]?.id ?? '',
    closeDispute: async (disputeId, state) => objects.close(disputeId, state),
    // The SDK repeats a request once by itself whose connection was closed.
    cutOff: async kind => void wire.outages.push({ kind }, { kind }),
    close: async () => {
      await wire.close()
      assert.deepEqual(wire.problems, [])
    },
  }
}
