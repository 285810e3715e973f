import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { openTestDb, type TestDb } from '#test'
import { createLog } from '#platform/adapters/log/log'
import { CardDeclined, NoAnswer } from '../port.ts'
import { SandboxProcessor } from './processor.ts'
import { signatureError } from '../signature.ts'

const secret = 'whsec_of_the_test'
const received: { path: string; type: string; id: string; error: string | null }[] = []
/** What the webhook answers next; 200 when empty. */
const answers: number[] = []
let database: TestDb
let webhook: Server
let processor: SandboxProcessor

const open = (): SandboxProcessor =>
  new SandboxProcessor({
    db: database.db,
    clock: database.clock,
    log: createLog('silent'),
    secret: async () => secret,
    publicUrl: 'http://unused',
    webhookUrl: `http://127.0.0.1:${(webhook.address() as AddressInfo).port}`,
  })

before(async () => {
  database = await openTestDb()
  webhook = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => {
    webhook.listen(0, '127.0.0.1', resolve)
  })
  processor = open()
})
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat((await request.toArray()) as Buffer[])
  const { id, type } = JSON.parse(body.toString()) as { id: string; type: string }
  received.push({
    path: request.url ?? '',
    type,
    id,
    error: signatureError(String(request.headers['payment-processor-signature']), body, [secret], new Date()),
  })
  response.writeHead(answers.shift() ?? 200).end()
}
beforeEach(() => {
  received.length = 0
})
after(async () => {
  await processor.notifier.stop()
  webhook.closeAllConnections()
  webhook.close()
  await database.close()
})

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!condition()) {
    assert.ok(Date.now() < deadline, `still waiting after 30 s: ${JSON.stringify(received)}`)
    await sleep(20)
  }
}

const order = (id: string, paymentMethodId = 'pm_card_visa') => ({
  id,
  installation: 'here',
  cents: 1500,
  description: 'Test',
  paymentMethodId,
})

test('a charge sends one signed notification, and the same id charges once', async () => {
  const [first, second] = await Promise.all([processor.charge(order('a')), processor.charge(order('a'))])
  assert.equal(first.processorId, second.processorId)
  await until(() => received.length > 0)
  assert.deepEqual(await processor.charge(order('a')), first)
  assert.deepEqual(
    received.map(({ path, type, error }) => ({ path, type, error })),
    [{ path: '/webhooks/payment-processor/payment-intent', type: 'payment_intent.succeeded', error: null }],
  )
})

test('a declined card throws its reason and sends a notification', async () => {
  await assert.rejects(
    processor.charge(order('b', 'pm_card_chargeDeclinedInsufficientFunds')),
    (error: unknown) =>
      error instanceof CardDeclined &&
      error.code === 'insufficient_funds' &&
      error.message === 'Your card has insufficient funds.',
  )
  await until(() => received.some(({ type }) => type === 'payment_intent.payment_failed'))
})

test('a payment method that nobody knows is a clear 400', async () => {
  await assert.rejects(processor.charge(order('c', 'pm_unknown')), {
    row: { code: 'VALIDATION_FAILED', status: 400, message: 'Validation failed' },
  })
})

test('after an outage the same id charges once and returns its outcome', async () => {
  await processor.break({ kind: 'not_reached', count: 1 })
  await assert.rejects(processor.charge(order('d')), NoAnswer)
  assert.deepEqual(await processor.outcomeOf('d'), { state: 'none' })
  await processor.break({ kind: 'answer_lost', count: 2, silent: true })
  await assert.rejects(processor.charge(order('d')), NoAnswer)
  await assert.rejects(open().outcomeOf('d'), NoAnswer, 'for every instance')
  const { processorId } = await processor.charge(order('d'))
  assert.partialDeepStrictEqual(await processor.outcomeOf('d'), {
    state: 'paid',
    paid: { processorId, cents: 1500, currency: 'USD', feeCents: 74 },
  })
  assert.deepEqual(received, [], 'nothing was notified')
})

test('a notification that is not taken is sent again until it is', async () => {
  answers.push(500, 503)
  processor.notifier.start()
  const { delivered } = await processor.emit({ type: 'charge.updated', object: {} })
  assert.equal(delivered, false)
  await until(() => received.length === 3)
  assert.equal(new Set(received.map(({ id }) => id)).size, 1)
})

test('a notification that a crash left unsent goes out with the next start', async () => {
  await processor.notifier.stop()
  const { id } = await processor.emit({ type: 'payout.paid', object: {}, delayMs: 1, copies: 3 })
  assert.equal(received.length, 0)
  const restarted = open()
  restarted.notifier.start()
  await until(() => received.length === 3)
  await restarted.notifier.stop()
  assert.deepEqual(
    received.map(event => [event.id, event.path]),
    Array.from({ length: 3 }, () => [id, '/webhooks/payment-processor/payout-updated']),
  )
})
