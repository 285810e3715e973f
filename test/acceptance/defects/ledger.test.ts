import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  acceptedDeal,
  as,
  availableOf,
  deliveredDeal,
  fund,
  heldDeal,
  openMarket,
  readDeal,
  readEscrow,
  registerHuman,
  sharedService,
  type Answer,
  type Market,
  type Person,
  type TestService,
} from '#test'

type Refusal = { message: string; code: string }

/** Each test is named by a defect of earlier systems. */
suite('defects of earlier systems: wallets, escrows and the ledger', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const transfer = (from: Person, to: Person, amount: number) =>
    service.http<Refusal>('POST', `/wallets/${from.walletId}/transfer`, {
      token: from.token,
      body: { toWalletId: to.walletId, amount },
    })
  const balance = (account: string, asset: 'USD' | 'USDC' = 'USD') =>
    balanceOf(service.services.db, account, asset)
  const rows = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await service.services.db.pool.query<Row>(text, values)).rows
  const count = (answers: readonly Answer<unknown>[], status: number) =>
    answers.filter(answer => answer.status === status).length
  const many = <T>(times: number, send: () => Promise<T>) => Promise.all(Array.from({ length: times }, send))
  const released = (market: Market, escrowId: string, amount?: number) =>
    as<Refusal>(market, 'buyer', '/payments/ap2/release', { escrowId, amount, acceptUnverified: true })

  test('a balance was read before the transaction and written back (lost update)', async () => {
    const [from, to] = [await registerHuman(service), await registerHuman(service)]
    await fund(service, from, 4)
    const answers = await many(16, () => transfer(from, to, 1))
    assert.deepEqual([count(answers, 201), count(answers, 400)], [4, 12])
    assert.deepEqual([await availableOf(service, from), await availableOf(service, to)], ['0.00', '4.00'])
  })

  test('hold, escrow and status were written in separate transactions', async () => {
    const market = await openMarket(service)
    const { id, escrowId } = await heldDeal(market)
    // xmin is the transaction that wrote a row.
    const [written] = await rows<{ transactions: number; states: string }>(
      `select count(distinct w.xmin::text)::int as transactions, string_agg(w.state, ' ' order by w.state) as states from (
        select xmin, kind as state from ledger_journal where key = $1::text
        union all select xmin, status from ap2_escrow where id = $2
        union all select xmin, status from ap2_negotiation where id = $1::uuid) w`,
      [id, escrowId],
    )
    assert.deepEqual(
      [written?.transactions, written?.states.split(' ').sort()],
      [1, ['ESCROWED', 'HELD', 'ap2.hold']],
    )
  })

  test('a fee was taken that had never been held', async () => {
    const market = await openMarket(service, { amount: 100, card: true })
    const { escrowId } = await deliveredDeal(market)
    const before = await balance(accounts.marketplaceFee)
    assert.equal((await released(market, escrowId)).status, 201)
    const journals = await rows<{ legs: [string, string, string, string][] }>(
      "select legs from ledger_journal where kind = 'ap2.release' and reference->>'escrowId' = $1",
      [escrowId],
    )
    // Whatever leaves, the fee too, leaves the escrow, and no more than it held.
    const legs = journals.flatMap(journal => journal.legs)
    assert.deepEqual(new Set(legs.map(([debit]) => debit)), new Set([accounts.escrow(escrowId)]))
    assert.equal(
      legs.reduce((sum, leg) => sum + Number(leg[3]), 0),
      100_000_000,
    )
    assert.deepEqual(
      [(await balance(accounts.marketplaceFee)) - before, await availableOf(service, market.buyer)],
      [20_000_000n, '0.00'],
    )
  })

  test('identity was taken from the body without an ownership check', async () => {
    const market = await openMarket(service)
    const { outsider, buyer } = market
    assert.equal((await transfer({ ...buyer, token: outsider.token }, outsider, 1)).status, 403)
    const direct = { sourceWalletId: buyer.walletId, destinationWalletId: outsider.walletId, amount: 5 }
    const stolen = await as(market, 'outsider', '/payments/ap2/initiate', {
      ...direct,
      initiatorId: buyer.id,
    })
    assert.equal(stolen.status, 403)
    const named = { name: 'Whose agent', creatorId: buyer.id, ownerId: buyer.id, initiatorId: buyer.id }
    const made = await service.http<{ creatorId: string; ownerId: string }>('POST', '/agents', {
      token: outsider.token,
      body: named,
    })
    const isOwn = made.body.creatorId === outsider.id && made.body.ownerId === outsider.id
    assert.ok(made.status === 400 || isOwn, made.text)
  })

  test('a repeated refund returned 409 and yet reversed the first refund', async () => {
    const market = await openMarket(service, { amount: 100, card: true })
    const { escrowId } = await heldDeal(market)
    const refund = () => as(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
    assert.equal((await refund()).status, 201)
    for (let n = 0; n < 3; n++) assert.equal((await refund()).status, 409)
    const { status, refunded, held } = await readEscrow(market, escrowId)
    assert.deepEqual(
      [status, refunded, held, await availableOf(service, market.buyer)],
      ['REFUNDED', '100.00', '0.00', '100.00'],
    )
  })

  test('a hold was not counted in the available balance', async () => {
    const market = await openMarket(service, { amount: 150, card: true })
    await heldDeal(market)
    const { walletId, token } = market.buyer
    type Wallet = { available: string; reserved: string; balance: string }
    const { body } = await service.http<Wallet>('GET', `/wallets/${walletId}`, { token })
    assert.deepEqual([body.available, body.reserved, body.balance], ['50.00', '100.00', '150.00'])
    const refused = await transfer(market.buyer, market.outsider, 51)
    assert.deepEqual([refused.status, refused.body.message], [400, 'Insufficient balance'])
  })

  test('a rejected hold could be committed', async () => {
    const market = await openMarket(service, { amount: 1 })
    const { id } = await acceptedDeal(market)
    const initiate = (more: object) =>
      as<Refusal & { details: { paymentId: string } }>(market, 'buyer', '/payments/ap2/initiate', {
        negotiationId: id,
        ...more,
      })
    assert.equal((await initiate({})).body.message, 'Insufficient balance')
    assert.equal((await readDeal(market, id)).escrow, null)
    const declined = await initiate({ rail: 'card', paymentMethodId: 'pm_card_chargeDeclined' })
    const escrowId = declined.body.details.paymentId
    assert.ok((await released(market, escrowId)).status >= 400)
    assert.ok((await as(market, 'seller', '/ap2/deliver', { negotiationId: id, result: 'x' })).status >= 400)
    await as(market, 'buyer', '/payments/ap2/complete', { escrowId, status: 'SETTLED' })
    assert.equal((await readEscrow(market, escrowId)).status, 'CANCELLED')
    assert.equal(await balance(accounts.escrow(escrowId)), 0n)
    assert.equal(await availableOf(service, market.agent.owner), '0.00')
  })

  test('a void could be executed twice', async () => {
    const market = await openMarket(service, { amount: 100, card: true })
    const { id } = await heldDeal(market)
    const answers = await many(8, () => as(market, 'buyer', '/ap2/cancel', { negotiationId: id }))
    assert.equal(answers.filter(({ status }) => status < 300).length, 1)
    assert.equal((await as(market, 'buyer', '/ap2/cancel', { negotiationId: id })).status >= 400, true)
    assert.equal(await availableOf(service, market.buyer), '100.00')
  })

  test('concurrent commits both read the remaining amount', async () => {
    const market = await openMarket(service, { amount: 100, card: true })
    const { escrowId } = await heldDeal(market)
    const answers = await many(8, () => released(market, escrowId, 30))
    assert.equal(count(answers, 201), 3)
    const { status, held } = await readEscrow(market, escrowId)
    assert.deepEqual([status, held, await balance(accounts.escrow(escrowId))], ['HELD', '10.00', 10_000_000n])
  })

  test('a serialization failure was reported as insufficient funds', async () => {
    const [from, to] = [await registerHuman(service), await registerHuman(service)]
    await fund(service, from, 10)
    const lost = `test_conflict_${newId().replaceAll('-', '')}`
    const database = new pg.Client({ connectionString: service.superuserUrl })
    await database.connect()
    /** The first `times` journals of this wallet fail as a transaction does that another one was faster than. */
    const conflict = (times: number) =>
      database.query(`create sequence ${lost}; grant usage on sequence ${lost} to public;
        create function ${lost}() returns trigger language plpgsql as $$ begin
          if new.reference->>'fromWalletId' = '${from.walletId}' and nextval('${lost}') <= ${times} then
            raise exception 'could not serialize access' using errcode = '40001'; end if;
          return new; end $$;
        create trigger ${lost} before insert on ledger_journal for each row execute function ${lost}()`)
    const calm = () =>
      database.query(`drop trigger ${lost} on ledger_journal; drop function ${lost}(); drop sequence ${lost}`)
    try {
      await conflict(2)
      assert.equal((await transfer(from, to, 1)).status, 201, 'tried again')
      await calm()
      await conflict(1000)
      const { status, body } = await transfer(from, to, 1)
      assert.equal(status, 503)
      assert.doesNotMatch(JSON.stringify(body), /insufficient/i)
      await calm()
    } finally {
      await database.end()
    }
    assert.deepEqual([await availableOf(service, from), await availableOf(service, to)], ['9.00', '1.00'])
  })
})
