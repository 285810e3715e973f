import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accounts, balanceOf, checkLedger } from '#ledger'
import { DAY, SECOND } from '#platform/kernel/clock'
import { sql } from '#platform/kernel/sql'
import {
  availableOf,
  fund,
  joinOrganization,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'
import { voucherChecks } from './check.ts'

interface Voucher {
  id: string
  code: string
  status: string
  note: string | null
}

suite('vouchers of time, deleted accounts and organizations', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.close())

  const post = <Body>(path: string, { token }: { token: string }, body?: unknown) =>
    service.http<Body>('POST', path, { token, body })
  const days = (count: number) => new Date(service.services.clock.now().getTime() + count * DAY).toISOString()
  const create = async (person: Person, more: object = {}) => {
    const answer = await post<Voucher>('/wallet-vouchers', person, {
      walletId: person.walletId,
      amount: 5,
      ...more,
    })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const redeem = ({ code }: Voucher, person: Person) =>
    post<{ message: string; status: string }>('/wallet-vouchers/redeem', person, { code })
  const funded = async (amount = 20) => {
    const person = await registerHuman(service)
    await fund(service, person, amount)
    return person
  }
  const balance = (account: string) => balanceOf(service.services.db, account, 'USD')
  const stored = async ({ id }: Voucher) =>
    service.services.db.one(
      sql<{ status: string; note: string | null }>`select status, note from wallets_voucher where id = ${id}`,
    )

  test('returns the money of an expired voucher to its creator, once', async () => {
    const [ada, bob] = [await funded(), await registerHuman(service)]
    const [due, later] = [
      await create(ada, { expiresAt: days(2) }),
      await create(ada, { expiresAt: days(9) }),
    ]
    assert.equal(await availableOf(service, ada), '10.00')
    await service.advance((3 * DAY) / SECOND)
    assert.equal(await availableOf(service, ada), '15.00')
    assert.equal((await stored(due)).status, 'EXPIRED')
    const refused = await redeem(due, bob)
    assert.deepEqual([refused.status, refused.body.message], [409, 'Voucher expired'])
    assert.equal((await redeem(later, bob)).status, 200)
    await service.advance((9 * DAY) / SECOND)
    assert.deepEqual(
      [await availableOf(service, ada), await balance(accounts.voucher(due.id))],
      ['15.00', 0n],
    )
  })

  test('refuses an expired voucher also before the timer has run', async () => {
    const [ada, bob] = [await funded(), await registerHuman(service)]
    const voucher = await create(ada, { expiresAt: days(1) })
    await service.services.db.run(
      sql`update wallets_voucher set expires_at = ${service.services.clock.now()} where id = ${voucher.id}`,
    )
    const { status, body } = await redeem(voucher, bob)
    assert.deepEqual([status, body.message], [409, 'Voucher expired'])
  })

  test('vouchers of a deleted account stay valid; unclaimed funds get those that expire', async () => {
    const [ada, bob] = [await funded(), await registerHuman(service)]
    const [used, unused] = [
      await create(ada, { note: 'canary one' }),
      await create(ada, { note: 'canary two', expiresAt: days(2) }),
    ]
    const before = await balance(accounts.unclaimed)
    assert.equal((await service.http('DELETE', '/users/me', { token: ada.token })).status, 204)
    assert.equal((await balance(accounts.unclaimed)) - before, 10_000_000n)
    assert.deepEqual([(await stored(used)).note, (await stored(unused)).note], [null, null])
    assert.equal((await redeem(used, bob)).status, 200)
    await service.advance((3 * DAY) / SECOND)
    assert.equal((await balance(accounts.unclaimed)) - before, 15_000_000n)
    assert.equal(await balance(accounts.wallet(ada.walletId)), 0n)
  })

  test('loses nothing when a deletion and a redemption happen at once', async () => {
    for (let round = 0; round < 4; round++) {
      const [ada, bob] = [await funded(5), await registerHuman(service)]
      const voucher = await create(ada, { note: 'canary' })
      const [gone, redeemed] = await Promise.all([
        service.http('DELETE', '/users/me', { token: ada.token }),
        redeem(voucher, bob),
      ])
      assert.deepEqual([gone.status, redeemed.status], [204, 200])
      assert.equal(await availableOf(service, bob), '5.00')
    }
  })

  test('staff of an organization create and cancel its vouchers; it closes without active ones', async () => {
    const [owner, member] = [await registerHuman(service), await registerHuman(service)]
    const slug = `vouchers-${owner.id.slice(-8)}`
    assert.equal((await post('/organizations', owner, { slug, name: 'Works' })).status, 201)
    await joinOrganization(service, owner, member, { slug, role: 'MEMBER' })
    const { body: wallet } = await service.http<{ id: string }>('GET', `/wallets/org/${slug}`, {
      token: owner.token,
    })
    assert.equal((await post(`/wallets/${wallet.id}/fund`, owner, { amount: 5 })).status, 201)
    const order = { walletId: wallet.id, amount: 5 }
    assert.equal((await post('/wallet-vouchers', member, order)).status, 403)
    const voucher = await create(owner, order)
    const seen = await service.http<{ items: Voucher[] }>('GET', `/wallet-vouchers?walletId=${wallet.id}`, {
      token: member.token,
    })
    assert.deepEqual(
      seen.body.items.map(({ id }) => id),
      [voucher.id],
    )
    await service.http('DELETE', `/organizations/${slug}/members/${member.id}`, { token: owner.token })
    const close = () =>
      service.http<{ code: string; hint: string }>('DELETE', `/organizations/${slug}`, { token: owner.token })
    const refused = await close()
    assert.deepEqual([refused.status, refused.body.code], [409, 'WALLET_NOT_EMPTY'])
    assert.match(refused.body.hint, /Cancel the vouchers/)
    assert.equal((await post(`/wallet-vouchers/${voucher.id}/cancel`, member)).status, 403)
    assert.equal((await post(`/wallet-vouchers/${voucher.id}/cancel`, owner)).status, 200)
    assert.equal((await close()).status, 409, 'its wallet has the money')
    const { rows } = await service.services.db.pool.query(
      `select from platform_audit where action = 'wallet.organization_voucher' and target_id = $1`,
      [wallet.id],
    )
    assert.equal(rows.length, 1)
  })

  test('the ledger check finds a voucher whose row and ledger account disagree', async () => {
    const ada = await funded()
    const [voucher, other] = [await create(ada), await create(ada)]
    const { db } = service.services
    const findings = async () =>
      (await checkLedger(db, voucherChecks, { full: true })).findings.filter(each => each.includes('voucher'))
    assert.deepEqual(await findings(), [])
    await db.run(sql`update wallets_voucher set amount = amount + 1 where id = ${voucher.id}`)
    await db.run(
      sql`update wallets_voucher set status = 'CANCELLED', ended_at = ${new Date()} where id = ${other.id}`,
    )
    const found = await findings()
    for (const { id } of [voucher, other])
      assert.equal(found.filter(each => each.includes(id)).length, 2, found.join('\n'))
    await db.run(sql`update wallets_voucher set amount = amount - 1 where id = ${voucher.id}`)
    await db.run(sql`update wallets_voucher set status = 'ACTIVE', ended_at = null where id = ${other.id}`)
  })
})
