import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkLedger } from '#ledger'
import { loadLedgerChecks } from '#app'
import { share } from '#platform/kernel/money'
import { agentKeys } from '#agents'
import { publish } from '#platform/kernel/events'
import { sql } from '#platform/kernel/sql'
import {
  acceptedDeal,
  as,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  readEscrow,
  registerHuman,
  sharedService,
  type Answer,
  type EscrowView,
  type TestService,
} from '#test'

/** More than three for each connection of the pool. */
const CALLERS = 32
const COVERED = 10
const PRICE = 100

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

type Refusal = { message: string }
const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))
const count = (answers: readonly Answer<Refusal>[], status: number, message?: string) =>
  answers.filter(
    answer => answer.status === status && (message === undefined || answer.body.message.startsWith(message)),
  ).length

async function assertBooks(): Promise<void> {
  const { findings } = await checkLedger(service.services.db, await loadLedgerChecks())
  assert.deepEqual(findings, [])
}

/** What must hold after many callers spent one balance at once. Amounts in units. */
interface Spending {
  covered: number
  held: number
  refused: number
  others: number
  left: number
}

function spendingErrors({ covered, held, refused, others, left }: Spending): string[] {
  const errors: string[] = []
  if (held !== covered) errors.push(`${held} were held, the balance covers ${covered}`)
  if (refused !== CALLERS - covered)
    errors.push(`${refused} were refused for want of money, not ${CALLERS - covered}`)
  if (others) errors.push(`${others} answers were neither`)
  if (left !== 0) errors.push(`${left} is left of a balance that was spent exactly`)
  return errors
}

test('of 32 concurrent initiates on a wallet that covers 10, exactly 10 hold, 22 have insufficient balance, none is a 500', async () => {
  const market = await openMarket(service, { amount: COVERED * PRICE, card: true })
  const deals = await times(CALLERS, () => acceptedDeal(market, { budget: PRICE }))
  const answers = await times(CALLERS, index =>
    as<Refusal>(market, 'buyer', '/payments/ap2/initiate', {
      negotiationId: deals[index]?.id,
    }),
  )
  const wallet = await service.http<{ available: string; reserved: string }>(
    'GET',
    `/wallets/${market.buyer.walletId}`,
    { token: market.buyer.token },
  )
  const held = count(answers, 201)
  const refused = count(answers, 400, 'Insufficient balance')
  assert.deepEqual(
    spendingErrors({
      covered: COVERED,
      held,
      refused,
      others: CALLERS - held - refused,
      left: Number(wallet.body.available),
    }),
    [],
  )
  assert.equal(wallet.body.reserved, '1000.00')
  const { total } = await must<{ total: number }>(market, 'buyer', '/payments/escrow?role=buyer&status=HELD')
  assert.equal(total, COVERED)
  await assertBooks()
})

test('the check above fails a service that reads the balance first and writes it back', async () => {
  // The naive variant: what a handler does that reads outside the transaction, with the same interleaving of callers.
  const wallet = { balance: COVERED * PRICE }
  const outcomes = await times(CALLERS, async () => {
    const { balance } = wallet
    await new Promise(resolve => setImmediate(resolve))
    if (balance < PRICE) return 'refused'
    wallet.balance = balance - PRICE
    return 'held'
  })
  const held = outcomes.filter(outcome => outcome === 'held').length
  const errors = spendingErrors({
    covered: COVERED,
    held,
    refused: CALLERS - held,
    others: 0,
    left: wallet.balance,
  })
  assert.ok(
    errors.includes(`${held} were held, the balance covers ${COVERED}`),
    'the lost update went unseen',
  )
})

test('of 32 concurrent releases of one escrow one pays and 31 find it released', async () => {
  const market = await openMarket(service)
  const { escrowId } = await deliveredDeal(market)
  const answers = await times(CALLERS, () =>
    as<Refusal>(market, 'buyer', '/payments/ap2/release', { escrowId }),
  )
  assert.equal(count(answers, 201), 1)
  assert.equal(count(answers, 409, 'Escrow already released'), CALLERS - 1)
  assert.equal((await readEscrow(market, escrowId)).released, '100.00')
  await assertBooks()
})

test('of 32 concurrent initiates of one negotiation one holds and 31 are conflicts', async () => {
  const market = await openMarket(service)
  const { id } = await acceptedDeal(market)
  const answers = await times(CALLERS, () =>
    as<Refusal>(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id }),
  )
  assert.equal(count(answers, 201), 1)
  assert.equal(count(answers, 409, 'Cannot fund while ESCROWED'), CALLERS - 1)
  await assertBooks()
})

test('one Idempotency-Key holds once, however often it is sent', async () => {
  const market = await openMarket(service)
  const { id } = await acceptedDeal(market)
  const send = () =>
    service.http<Refusal & { escrowId: string }>('POST', '/payments/ap2/initiate', {
      token: market.buyer.token,
      body: { negotiationId: id },
      headers: { 'idempotency-key': id },
    })
  const answers = await times(16, send)
  const held = answers.filter(answer => answer.status === 201)
  assert.ok(held.length >= 1)
  assert.equal(new Set(held.map(answer => answer.body.escrowId)).size, 1)
  assert.equal(
    count(answers, 409, 'A request with this Idempotency-Key is still running'),
    answers.length - held.length,
  )
  assert.equal((await send()).headers.get('idempotency-replayed'), 'true')
  await assertBooks()
})

test('release, refund, dispute and cancel at once: one of them happens', async () => {
  const market = await openMarket(service)
  for (let round = 0; round < 4; round++) {
    const { id, escrowId } = await deliveredDeal(market)
    const answers = await Promise.all([
      as<Refusal>(market, 'buyer', '/payments/ap2/release', { escrowId }),
      as<Refusal>(market, 'seller', `/payments/escrow/${escrowId}/refund`, {}),
      as<Refusal>(market, 'seller', `/payments/escrow/${escrowId}/dispute`, { reason: 'wrong' }),
      as<Refusal>(market, 'buyer', '/ap2/cancel', { negotiationId: id }),
      as<Refusal>(market, 'buyer', `/payments/escrow/${escrowId}/changes`, { reason: 'more' }),
    ])
    assert.ok(count(answers, 201) >= 1)
    assert.equal(
      count(answers, 201) + count(answers, 409),
      answers.length,
      answers.map(answer => answer.text).join(),
    )
  }
  await assertBooks()
})

/** What must hold of a release in parts. Micro-units. */
interface Parts {
  gross: bigint
  feeBps: number
  fees: readonly bigint[]
  net: readonly bigint[]
}

function partErrors({ gross, feeBps, fees, net }: Parts): string[] {
  const sum = (parts: readonly bigint[]) => parts.reduce((total, part) => total + part, 0n)
  const errors: string[] = []
  if (sum(fees) !== share(gross, feeBps, 'floor')) {
    errors.push(
      `the fees of the parts sum to ${sum(fees)}, that of the whole is ${share(gross, feeBps, 'floor')}`,
    )
  }
  if (sum(fees) + sum(net) !== gross) errors.push('fees and net do not sum to the gross amount')
  return errors
}

const micro = (text: string): bigint => BigInt(text.replace('.', '').padEnd(text.indexOf('.') + 6, '0'))

// Each part alone would have a fee of 0.4 micro-units, which rounding down would drop.
const SLIVERS = 10
const SLIVER = 0.000002

test('a release in slivers, many at once, costs the fee of the whole', async () => {
  const market = await openMarket(service)
  const gross = SLIVERS * SLIVER
  const deal = await heldDeal(market, { budget: gross.toFixed(6) })
  await must(market, 'seller', '/ap2/deliver', { negotiationId: deal.id, result: 'done' })
  const answers = await times(SLIVERS, () =>
    as<{ fee: string; netToSeller: string; escrow: EscrowView }>(market, 'buyer', '/payments/ap2/release', {
      escrowId: deal.escrowId,
      amount: SLIVER.toFixed(6),
    }),
  )
  assert.ok(
    answers.every(answer => answer.status === 201),
    answers.map(answer => answer.text).join(),
  )
  const escrow = await readEscrow(market, deal.escrowId)
  assert.deepEqual([escrow.status, escrow.held], ['RELEASED', '0.00'])
  const [fees, net] = [
    answers.map(answer => micro(answer.body.fee)),
    answers.map(answer => micro(answer.body.netToSeller)),
  ]
  assert.deepEqual(partErrors({ gross: micro(gross.toFixed(6)), feeBps: escrow.feeBps, fees, net }), [])
  const books = await must<{ ok: boolean }>(
    market,
    'buyer',
    `/payments/ap2/escrows/${deal.escrowId}/reconciliation`,
  )
  assert.equal(books.ok, true)
})

test('the check above fails a service that rounds the fee of each part by itself', () => {
  const part = 2n
  const fees = Array.from({ length: SLIVERS }, () => share(part, 2000, 'floor'))
  const net = fees.map(fee => part - fee)
  assert.deepEqual(partErrors({ gross: part * BigInt(SLIVERS), feeBps: 2000, fees, net }), [
    'the fees of the parts sum to 0, that of the whole is 4',
  ])
})

test('keys that are revoked while money becomes held: every escrow of the agent is frozen, listed or not', async () => {
  const market = await openMarket(service)
  const deals = await times(8, () => acceptedDeal(market))
  const [revoked, ...answers] = await Promise.all([
    service.http<{ frozenEscrows: { escrowId: string }[] }>('POST', `/agents/${market.agent.id}/revoke-key`, {
      token: market.agent.owner.token,
    }),
    ...deals.map(({ id }) => as<Refusal>(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id })),
  ])
  assert.equal(revoked.status, 200, revoked.text)
  assert.equal(count(answers, 201), deals.length)
  const { items } = await must<{ items: EscrowView[] }>(market, 'buyer', '/payments/escrow?limit=100')
  assert.deepEqual(
    items.map(each => each.status),
    deals.map(() => 'FROZEN'),
  )
  for (const { escrowId } of revoked.body.frozenEscrows) assert.ok(items.some(each => each.id === escrowId))
  await assertBooks()
})

test('money that becomes held while a revocation is still open waits for it, and starts frozen', async () => {
  const market = await openMarket(service)
  const { id } = await acceptedDeal(market)
  const held = await service.services.db.transaction(async tx => {
    await tx.run(
      sql`update identity_key set status = 'REVOKED', revoked_at = ${tx.now} where agent_id = ${market.agent.id}`,
    )
    await publish(tx, agentKeys.agentKeysRevoked, { agentId: market.agent.id })
    const initiated = as<{ status: string }>(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id })
    // Long enough for a service that does not wait to have answered.
    await Promise.race([initiated, sleep(1000)])
    return { initiated }
  })
  assert.equal((await held.initiated).body.status, 'FROZEN')
})

test('other accounts cannot spend from a wallet', async () => {
  const market = await openMarket(service)
  const thief = await registerHuman(service)
  const answers = await times(8, () =>
    service.http<Refusal>('POST', '/payments/ap2/initiate', {
      token: thief.token,
      body: { sourceWalletId: market.buyer.walletId, destinationWalletId: thief.walletId, amount: 1 },
    }),
  )
  assert.equal(count(answers, 403), 8)
})
