import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  acceptedDeal,
  deliveredDeal,
  must,
  openMarket,
  sharedService,
  type Market,
  type TestService,
} from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service, { amount: 1000 })
})
after(() => service.close())

/** Reads again and again until `work` is done; returns how many reads there were and the answers that are not `ok`. */
async function readBeside<Body>(path: string, ok: (body: Body) => boolean, work: () => Promise<unknown>) {
  let running = true
  let reads = 0
  const wrong: Body[] = []
  const reader = async () => {
    while (running) {
      const body = await must<Body>(market, 'buyer', path)
      reads++
      if (!ok(body)) wrong.push(body)
    }
  }
  const readers = Array.from({ length: 4 }, reader)
  await work().finally(() => {
    running = false
  })
  await Promise.all(readers)
  return { reads, wrong }
}

test('a reconciliation that is read beside releases shows one moment: it always agrees', async () => {
  const { escrowId } = await deliveredDeal(market)
  const { reads, wrong } = await readBeside<{ ok: boolean }>(
    `/payments/ap2/escrows/${escrowId}/reconciliation`,
    ({ ok }) => ok,
    async () => {
      for (let n = 0; n < 60; n++)
        await must(market, 'buyer', '/payments/ap2/release', { escrowId, amount: '0.123457' })
    },
  )
  assert.ok(reads > 20)
  assert.equal(
    wrong.length,
    0,
    `${wrong.length} of ${reads} reads, such as ${JSON.stringify(wrong[0])?.slice(0, 500)}`,
  )
})

test('a wallet that is read beside holds and their refunds never shows another balance', async () => {
  const own = await must<{ balance: string }>(market, 'buyer', `/wallets/${market.buyer.walletId}`)
  const holdAndRefund = async () => {
    const { id } = await acceptedDeal(market, { budget: 1 })
    await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id })
    await must(market, 'buyer', '/ap2/cancel', { negotiationId: id })
  }
  const { reads, wrong } = await readBeside<{ balance: string }>(
    `/wallets/${market.buyer.walletId}`,
    ({ balance }) => balance === own.balance,
    () =>
      Promise.all(
        Array.from({ length: 4 }, async () => {
          for (let n = 0; n < 15; n++) await holdAndRefund()
        }),
      ),
  )
  assert.ok(reads > 20)
  assert.equal(
    wrong.length,
    0,
    `${wrong.length} of ${reads} reads, such as ${JSON.stringify(wrong[0])?.slice(0, 500)}`,
  )
})
