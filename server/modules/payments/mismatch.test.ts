import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import { signatureHeader } from './processors/signature.ts'
import {
  availableOf,
  makeTrue,
  pendingPage,
  processorEvent as event,
  startTestService,
  type Answer,
  type Person,
  type TestService,
} from '#test'
import { installationOf } from './processor.ts'

const SECRET = 'whsec_of_this_test'
type Outcome = Answer<{ outcome: string; message: string }>

let service: TestService
before(async () => {
  service = await startTestService({ PROCESSOR_WEBHOOK_SECRET: SECRET })
})
after(() => service.close())

/** One notification; `header` and `text` say how it differs from what was signed. */
async function notify(
  body: object,
  how: {
    endpoint?: string
    at?: Date
    text?: string
    header?: (good: string) => Record<string, string>
  } = {},
): Promise<Outcome> {
  await makeTrue(service, body)
  const signed = JSON.stringify(body)
  const good = signatureHeader(signed, SECRET, how.at ?? new Date())
  const headers = how.header ? how.header(good) : { 'payment-processor-signature': good }
  return service.http('POST', `/webhooks/payment-processor/${how.endpoint ?? 'payment-intent'}`, {
    body: how.text ?? signed,
    headers,
  })
}

const available = (person: Person) => availableOf(service, person)
const pendingPayment = (amount: number, person?: Person) => pendingPage(service, amount, person)
describe('money that fits no payment', () => {
  const platform = async () => {
    const [processor, suspense, fees] = await Promise.all(
      [accounts.processor, accounts.suspense, accounts.processorFee].map(account =>
        balanceOf(service.services.db, account, 'USD'),
      ),
    )
    return { processor, suspense, fees } as { processor: bigint; suspense: bigint; fees: bigint }
  }
  /** What the platform's accounts gained while `work` ran; the processor's is an asset, so money there is below zero. */
  async function gained(
    work: () => Promise<unknown>,
  ): Promise<[processor: bigint, suspense: bigint, fees: bigint]> {
    const before = await platform()
    await work()
    const now = await platform()
    return [now.processor - before.processor, now.suspense - before.suspense, now.fees - before.fees]
  }
  const outcomeOf = async (body: object) => (await notify(body)).body.outcome
  const audited = async (paymentId: string) =>
    (
      await service.services.db.pool.query<{ action: string; reason: string }>(
        `select action, details->>'reason' as reason from platform_audit a join platform_audit_private p on p.audit_id = a.id where target_id = $1`,
        [paymentId],
      )
    ).rows
  const statusOf = async (paymentId: string) =>
    (
      await service.services.db.pool.query<{ status: string }>(
        'select status from payments_intent where id = $1',
        [paymentId],
      )
    ).rows[0]?.status

  test('another amount goes to suspense with its fee, once, and leaves the payment as it was', async () => {
    for (const cents of [1499, 1501, 1_500_000]) {
      const { payer, intent } = await pendingPayment(15)
      const wrong = { ...intent, amount_received: cents }
      assert.deepEqual(
        await gained(async () => {
          assert.equal(await outcomeOf(event('payment_intent.succeeded', wrong)), 'suspense')
        }),
        [590_000n - BigInt(cents) * 10_000n, BigInt(cents) * 10_000n, -590_000n],
      )
      const copies = await gained(async () => {
        const session = {
          ...wrong,
          id: `cs_${newId()}`,
          payment_intent: intent.id,
          amount_received: undefined,
          amount_total: cents,
          payment_status: 'paid',
        }
        const all = [
          event('payment_intent.succeeded', wrong),
          event('payment_intent.succeeded', wrong),
          event('checkout.session.completed', session),
        ]
        assert.deepEqual(await Promise.all(all.map(outcomeOf)), ['known', 'known', 'known'])
      })
      assert.deepEqual(copies, [0n, 0n, 0n])
      assert.deepEqual(
        [await available(payer), await statusOf(intent.metadata.paymentId)],
        ['0.00', 'PENDING'],
      )
      assert.deepEqual(await audited(intent.metadata.paymentId), [
        { action: 'payment.suspended', reason: 'MISMATCH' },
      ])
    }
  })

  test('32 copies at once book it once', async () => {
    const { intent } = await pendingPayment(15)
    const copies = await gained(() =>
      Promise.all(
        Array.from({ length: 32 }, () =>
          notify(event('payment_intent.succeeded', { ...intent, amount_received: 1400 })),
        ),
      ),
    )
    assert.deepEqual(copies, [-13_410_000n, 14_000_000n, -590_000n])
  })

  test('reports events without a ledger asset or amount, and posts nothing', async () => {
    const { intent, payer } = await pendingPayment(15)
    const all = [{ currency: 'eur' }, { amount_received: undefined }, { amount_received: 0 }]
    assert.deepEqual(
      await gained(async () => {
        for (const wrong of all)
          assert.equal(
            await outcomeOf(event('payment_intent.succeeded', { ...intent, ...wrong, id: `pi_${newId()}` })),
            'mismatch',
            JSON.stringify(wrong),
          )
      }),
      [0n, 0n, 0n],
    )
    assert.deepEqual(
      await audited(intent.metadata.paymentId),
      [{ action: 'payment.suspended', reason: 'MISMATCH' }],
      'the euros are on record',
    )
    assert.equal(await available(payer), '0.00')
  })

  test('a later word that fits takes it out of suspense and credits', async () => {
    const { payer, intent } = await pendingPayment(15)
    const both = await gained(async () => {
      assert.equal(
        await outcomeOf(event('payment_intent.succeeded', { ...intent, amount_received: 1000 })),
        'suspense',
      )
      assert.equal(await outcomeOf(event('payment_intent.succeeded', intent)), 'booked')
    })
    assert.deepEqual([await available(payer), both], ['15.00', [-14_410_000n, 0n, -590_000n]])
  })

  test('a second payment for the same thing goes to suspense, a copy of the first does not', async () => {
    const { payer, intent, session } = await pendingPayment(15)
    assert.equal(await outcomeOf(event('checkout.session.completed', session)), 'booked')
    assert.equal(
      await outcomeOf(event('payment_intent.succeeded', intent)),
      'known',
      'the session did not say which payment it was',
    )
    const second = { ...intent, id: `pi_${newId()}` }
    assert.deepEqual(
      await gained(async () => {
        assert.equal(await outcomeOf(event('payment_intent.succeeded', second)), 'suspense')
      }),
      [-14_410_000n, 15_000_000n, -590_000n],
    )
    assert.deepEqual(
      [
        await outcomeOf(event('payment_intent.succeeded', second)),
        await outcomeOf(event('payment_intent.succeeded', intent)),
      ],
      ['known', 'known'],
    )
    assert.equal(await available(payer), '15.00')
  })

  test('a fee that only a later notification names is booked then, once', async () => {
    const { payer, intent, session } = await pendingPayment(15)
    const wrong = await gained(async () => {
      assert.equal(
        await outcomeOf(
          event('checkout.session.completed', {
            ...session,
            payment_intent: intent.id,
            balance_transaction: undefined,
          }),
        ),
        'booked',
      )
    })
    assert.deepEqual(wrong, [-15_000_000n, 0n, 0n])
    const fee = await gained(async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () => outcomeOf(event('payment_intent.succeeded', intent))),
      )
      assert.deepEqual(outcomes.sort(), ['booked', ...Array.from({ length: 7 }, () => 'known')])
      assert.equal(
        await outcomeOf(event('payment_intent.succeeded', { ...intent, balance_transaction: { fee: 60 } })),
        'known',
      )
    })
    assert.deepEqual([fee, await available(payer)], [[590_000n, 0n, -590_000n], '15.00'])
  })

  test('one payment of the processor pays one of ours', async () => {
    const [one, two] = [await pendingPayment(15), await pendingPayment(15)]
    assert.equal(await outcomeOf(event('payment_intent.succeeded', one.intent)), 'booked')
    assert.equal(
      await outcomeOf(event('payment_intent.succeeded', { ...one.intent, metadata: two.intent.metadata })),
      'mismatch',
    )
    assert.deepEqual([await available(one.payer), await available(two.payer)], ['15.00', '0.00'])
  })

  test('a payment that is unknown here is booked only where our own mark is on it', async () => {
    const { payer, intent } = await pendingPayment(15)
    const installation = await installationOf(service.services)
    const unknown = (metadata: object) => ({
      ...intent,
      id: `pi_${newId()}`,
      metadata: { paymentId: newId(), ...metadata },
    })
    assert.deepEqual(
      await gained(async () => {
        for (const metadata of [{}, { installation: newId() }])
          assert.equal(await outcomeOf(event('payment_intent.succeeded', unknown(metadata))), 'unmatched')
        assert.equal(
          await outcomeOf(
            event('payment_intent.succeeded', {
              ...intent,
              metadata: { ...intent.metadata, installation: newId() },
            }),
          ),
          'unmatched',
        )
        for (const type of ['payment_intent.payment_failed', 'payment_intent.canceled'])
          assert.equal(await outcomeOf(event(type, unknown({ installation }))), 'unmatched')
      }),
      [0n, 0n, 0n],
    )
    assert.equal(await available(payer), '0.00')
    const ours = unknown({ installation })
    assert.deepEqual(
      await gained(async () => {
        assert.equal(await outcomeOf(event('payment_intent.succeeded', ours)), 'suspense')
      }),
      [-14_410_000n, 15_000_000n, -590_000n],
    )
    assert.equal(await outcomeOf(event('payment_intent.succeeded', ours)), 'known')
  })
})
