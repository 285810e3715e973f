import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accounts, balanceOf, entriesOf, freezeAccount, post, unfreezeAccount } from '#ledger'
import { DAY, SECOND } from '#platform/kernel/clock'
import { sql } from '#platform/kernel/sql'
import { availableOf, fund, registerHuman, sharedService, type Person, type TestService } from '#test'

interface Voucher {
  id: string
  status: string
  walletId: string
  amount: string
  currency: string
  code: string
  codePrefix: string
  note: string | null
  expiresAt: string
  endedAt: string | null
}
type Refusal = { message: string; hint?: string; code: string }

suite('vouchers', () => {
  let service: TestService
  let admin: string
  let ada: Person
  let bob: Person
  before(async () => {
    service = await sharedService()
    admin = await service.adminToken()
    ;[ada, bob] = [await registerHuman(service), await registerHuman(service)]
    await fund(service, ada, 400)
  })
  after(() => service.close())

  const ask = <Body>(person: { token: string }, path: string, body?: unknown, key?: string) =>
    service.http<Body & Refusal>('POST', path, {
      token: person.token,
      body,
      headers: key ? { 'idempotency-key': key } : {},
    })
  const create = (body: object = {}, person = ada, key?: string) =>
    ask<Voucher>(person, '/wallet-vouchers', { walletId: person.walletId, amount: 5, ...body }, key)
  const created = async (body: object = {}, person = ada) => {
    const { status, text, body: voucher } = await create(body, person)
    assert.equal(status, 201, text)
    return voucher
  }
  const redeem = (code: string, person = bob, more: object = {}, key?: string) =>
    ask<
      Voucher & { wallet: { id: string; available: string }; transaction: { type: string; amount: string } }
    >(person, '/wallet-vouchers/redeem', { code, ...more }, key)
  const cancel = ({ id }: Voucher, person = ada) => ask<Voucher>(person, `/wallet-vouchers/${id}/cancel`)
  const outstanding = ({ id, currency }: Voucher) =>
    balanceOf(service.services.db, accounts.voucher(id), currency === 'USDC' ? 'USDC' : 'USD')
  const list = async (person: { token: string }, query = '') =>
    service.http<{ items: Voucher[]; total: number } & Refusal>('GET', `/wallet-vouchers${query}`, {
      token: person.token,
    })
  const newest = async (walletId: string) => {
    const { entries } = await entriesOf(service.services.db, [accounts.wallet(walletId)], {
      limit: 1,
      offset: 0,
    })
    return entries[0]
  }

  test('moves the money into the voucher and from there to the wallet that redeems it', async () => {
    const before = Number(await availableOf(service, ada))
    const voucher = await created({ amount: '12.345678', note: 'A prize' })
    assert.match(voucher.code, /^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
    assert.deepEqual(
      [voucher.status, voucher.amount, voucher.currency, voucher.note, voucher.codePrefix],
      ['ACTIVE', '12.345678', 'USD', 'A prize', voucher.code.slice(0, 4)],
    )
    assert.ok(
      Math.abs(Date.parse(voucher.expiresAt) - service.services.clock.now().getTime() - 365 * DAY) <
        60 * SECOND,
    )
    assert.equal(await outstanding(voucher), 12_345_678n)
    assert.equal((Number(await availableOf(service, ada)) - before).toFixed(6), '-12.345678')

    const carol = await registerHuman(service)
    const { status, body } = await redeem(voucher.code.toLowerCase().replaceAll('-', ' '), carol)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.id, body.status, body.amount, body.wallet.id, body.wallet.available, body.transaction.type],
      [voucher.id, 'REDEEMED', '12.345678', carol.walletId, '12.345678', 'voucher_redeem'],
    )
    assert.equal(await outstanding(voucher), 0n)
    const { items } = (await list(ada, `?walletId=${ada.walletId}&status=REDEEMED`)).body
    assert.deepEqual(
      items
        .filter(({ id }) => id === voucher.id)
        .map(({ code, note, endedAt }) => [code, note, endedAt !== null]),
      [[undefined, 'A prize', true]],
    )
    assert.equal((await newest(carol.walletId))?.reference.voucherId, voucher.id)
  })

  test('credits exactly one of 50 callers with the same code', async () => {
    const voucher = await created()
    const people = await Promise.all(Array.from({ length: 10 }, () => registerHuman(service)))
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => redeem(voucher.code, people[n % 10])),
    )
    assert.deepEqual(
      [...new Set(answers.map(({ status, body }) => `${status} ${body.message ?? body.status}`))].sort(),
      ['200 REDEEMED', '409 Voucher already redeemed'],
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const held = await Promise.all(people.map(person => availableOf(service, person)))
    assert.deepEqual(held.sort(), [...Array<string>(9).fill('0.00'), '5.00'])
  })

  test('lets either a cancellation or a redemption through, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const voucher = await created({ amount: 1 })
      const before = Number(await availableOf(service, ada)) + Number(await availableOf(service, bob))
      const answers = await Promise.all([cancel(voucher), redeem(voucher.code), cancel(voucher)])
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 409, 409],
      )
      const now = Number(await availableOf(service, ada)) + Number(await availableOf(service, bob))
      assert.equal(now - before, 1)
    }
  })

  test('refuses a voucher that has ended with the reason', async () => {
    const [redeemed, cancelled] = [await created(), await created()]
    assert.equal((await redeem(redeemed.code)).status, 200)
    const { status, body } = await cancel(cancelled)
    assert.deepEqual([status, body.status, await outstanding(cancelled)], [200, 'CANCELLED', 0n])
    for (const [voucher, message] of [
      [redeemed, 'Voucher already redeemed'],
      [cancelled, 'Voucher cancelled'],
    ] as const) {
      const refused = await redeem(voucher.code)
      assert.deepEqual([refused.status, refused.body.message], [409, message])
      assert.equal(
        (await cancel(voucher)).body.message,
        `Cannot cancel while ${voucher === redeemed ? 'REDEEMED' : 'CANCELLED'}`,
      )
    }
    for (const id of ['nonsense', ada.id])
      assert.equal((await ask(ada, `/wallet-vouchers/${id}/cancel`)).body.code, 'VOUCHER_NOT_FOUND')
    assert.equal((await cancel(await created(), bob)).status, 403)
  })

  test('limits an account to 5 wrong codes a minute, also in parallel; right codes do not count', async () => {
    const [carol, voucher] = [await registerHuman(service), await created()]
    const other = await created()
    for (let n = 0; n < 7; n++) assert.equal((await redeem(other.code, carol)).status, n ? 409 : 200)
    const wrong = [other.code.replace(/.$/, 'U'), 'nonsense', `${voucher.code}0`, '----']
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => redeem(wrong[n % 4] ?? '', carol)))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [...Array<number>(5).fill(404), ...Array<number>(15).fill(429)])
    const refused = await redeem(voucher.code, carol)
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) >= 55)
    assert.equal((await redeem(voucher.code, bob)).status, 200)
    await service.services.db.run(
      sql`update platform_limit set resets_at = ${service.services.clock.real()} where key = ${`voucher:${carol.id}`}`,
    )
    assert.equal((await redeem(voucher.code, carol)).body.message, 'Voucher already redeemed')
  })

  test('requires real money, a positive amount and an expiry within 5 years', async () => {
    const poor = await registerHuman(service)
    await service.http('POST', '/wallets/admin/test-credit', {
      token: admin,
      body: { walletId: poor.walletId, amount: 50, reason: 'test' },
    })
    const short = await create({}, poor)
    assert.deepEqual([short.status, short.body.message], [400, 'Insufficient balance'])
    for (const body of [
      { amount: 0 },
      { amount: '0.0000001' },
      { amount: -1 },
      { expiresAt: '2020-01-01T00:00:00Z' },
      { expiresAt: '2099-01-01T00:00:00Z' },
      { expiresAt: '2026-12-31T23:59:60Z' },
      { expiresAt: 'tomorrow' },
      { note: 'x'.repeat(501) },
    ])
      assert.equal((await create(body)).status, 400, JSON.stringify(body))
    assert.equal((await create({ walletId: bob.walletId })).status, 403)
    assert.equal((await create({ walletId: ada.id })).body.code, 'WALLET_NOT_FOUND')
  })

  test('takes no money from a frozen wallet, and credits one', async () => {
    const frozen = await registerHuman(service)
    await fund(service, frozen, 5)
    const account = accounts.wallet(frozen.walletId)
    await service.services.db.transaction(tx => freezeAccount(tx, account, 'USD', 'operator'))
    const refused = await create({}, frozen)
    assert.deepEqual([refused.status, refused.body.code], [409, 'ACCOUNT_FROZEN'])
    assert.equal((await redeem((await created()).code, frozen)).status, 200)
    await service.services.db.transaction(tx => unfreezeAccount(tx, account, 'USD', 'operator'))
  })

  test('credits a wallet of the same currency, which it creates if there is none', async () => {
    const usdc = await ask<{ id: string }>(ada, '/wallets', { currency: 'USDC' })
    const credit = accounts.wallet(usdc.body.id)
    await service.services.db.transaction(tx =>
      post(tx, {
        kind: 'promotion',
        key: `voucher-test/${usdc.body.id}`,
        legs: [{ debit: accounts.promotion, credit, amount: 9_000_000n, asset: 'USDC' }],
      }),
    )
    const voucher = await created({ walletId: usdc.body.id, amount: 4 })
    assert.equal(voucher.currency, 'USDC')
    const refused = await redeem(voucher.code, bob, { walletId: bob.walletId })
    assert.deepEqual([refused.status, refused.body.message], [400, 'Currency mismatch'])
    assert.equal((await redeem(voucher.code, bob, { walletId: ada.walletId })).status, 403)
    const { body } = await redeem(voucher.code, bob)
    assert.equal(body.wallet.available, '4.00')
    assert.notEqual(body.wallet.id, bob.walletId)
    const own = await created({ walletId: usdc.body.id, amount: 2 })
    assert.equal((await redeem(own.code, ada)).body.wallet.id, usdc.body.id, 'your own voucher')
  })

  test('replays create and redeem by Idempotency-Key, and stores no code in the clear', async () => {
    const [first, again] = [await create({}, ada, 'voucher-1'), await create({}, ada, 'voucher-1')]
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal((await create({ amount: 6 }, ada, 'voucher-1')).status, 422)
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => redeem(first.body.code, bob, {}, 'redeem-1')),
    )
    assert.ok(answers.every(({ status }) => status === 200 || status === 409))
    assert.equal((await redeem(first.body.code, bob, {}, 'redeem-1')).body.status, 'REDEEMED')
    const { rows } = await service.services.db.pool.query<{ body: unknown }>(
      `select body from platform_idempotency where key = 'voucher-1'`,
    )
    assert.equal(typeof rows[0]?.body, 'string')
    assert.ok(!String(rows[0]?.body).includes(first.body.code))
  })

  test('lists the vouchers of your wallets and agents, and of no other account', async () => {
    const [carol, dan] = [await registerHuman(service), await registerHuman(service)]
    await fund(service, carol, 10)
    const [one, two] = [await created({ amount: 1 }, carol), await created({ amount: 2 }, carol)]
    const { body } = await list(carol, '?limit=1')
    assert.deepEqual([body.total, body.items.map(({ id }) => id)], [2, [two.id]])
    assert.deepEqual(
      (await list(carol, '?status=ACTIVE&offset=1')).body.items.map(({ id }) => id),
      [one.id],
    )
    assert.equal((await list(dan)).body.total, 0)
    assert.equal((await list(dan, `?walletId=${carol.walletId}`)).status, 403)
    assert.equal((await list(dan, `?walletId=${dan.id}`)).status, 404)
    assert.equal((await list(dan, '?status=LOST')).status, 400)
  })
})
