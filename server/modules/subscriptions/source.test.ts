import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { DAY, MINUTE, SECOND } from '#platform/kernel/clock'
import { sql } from '#platform/kernel/sql'
import {
  BudgetTrial,
  fund,
  holdingLocks,
  mailsSettled,
  mailTo,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface Subscription {
  id: string
  plan: string
  status: string
  currentPeriodEnd: string
  cancelsAtPeriodEnd: boolean
  walletId: string
  invoices: { id: string; returned: string; rail: string }[]
}
type Refusal = { code: string; message: string; hint?: string }

const FULL = 10_000

suite('the wallet that pays a subscription', () => {
  let service: TestService
  let trial: BudgetTrial
  let admin: Person
  before(async () => {
    service = await startTestService()
    trial = await BudgetTrial.open(service)
    ;({ admin } = trial)
  })
  after(() => service.close())
  beforeEach(() => trial.begin())

  const send = <Body>(path: string, { token }: Person, body: object = {}) =>
    service.http<Body & Refusal>('POST', path, { token, body })
  const checkout = (person: Person, body: object) =>
    send<Subscription>('/subscriptions/checkout', person, body)
  const cancel = (person: Person, immediately = false) =>
    send<Subscription>('/subscriptions/cancel', person, { immediately })
  const me = async ({ token }: Person) =>
    (await service.http<Subscription>('GET', '/subscriptions/me', { token })).body
  const balance = async (walletId: string) =>
    Number(await balanceOf(service.services.db, accounts.wallet(walletId), 'USD')) / 1e6
  /** Until a minute after the end of the paid period. */
  const toPeriodEnd = async (person: Person) => {
    const leftMs =
      Date.parse((await me(person)).currentPeriodEnd) - service.services.clock.now().getTime() + MINUTE
    await service.advance(leftMs / SECOND)
    await mailsSettled(service)
  }
  const subscribed = async (person: Person, body: object) => {
    const { status, text } = await checkout(person, body)
    assert.equal(status, 201, text)
  }
  const member = (method: string, person: Person, body?: object) =>
    trial.send(method, `/organizations/${trial.slug}/members/${person.id}`, body)

  test('renews from the wallet of an organization while the subscriber runs it', async () => {
    await subscribed(admin, { walletId: trial.walletId })
    await toPeriodEnd(admin)
    assert.deepEqual([(await me(admin)).status, await balance(trial.walletId)], ['ACTIVE', FULL - 118])
    await cancel(admin, true)
  })

  test('takes nothing from an organization that the subscriber has left or no longer runs', async () => {
    await subscribed(admin, { walletId: trial.walletId })
    assert.equal((await member('PATCH', admin, { role: 'MEMBER' })).status, 200)
    await toPeriodEnd(admin)
    assert.deepEqual([(await me(admin)).status, await balance(trial.walletId)], ['PAST_DUE', FULL - 59])
    await mailTo(service, admin.email, /tried again/)
    assert.equal((await member('DELETE', admin)).status, 204)
    await service.advance((1.1 * DAY) / SECOND)
    assert.deepEqual([(await me(admin)).status, await balance(trial.walletId)], ['PAST_DUE', FULL - 59])
    await fund(service, admin, 59)
    assert.equal((await checkout(admin, { rail: 'wallet' })).body.status, 'ACTIVE', 'your wallet pays')
    await cancel(admin, true)
  })

  test('a renewal waits for a removal that is under way', async () => {
    await subscribed(admin, { walletId: trial.walletId })
    await holdingLocks(service, async removal => {
      await removal.query('delete from identity_member where organization_id = $1 and account_id = $2', [
        trial.organizationId,
        admin.id,
      ])
      const renewal = toPeriodEnd(admin)
      await removal.waiters(1)
      await removal.commit()
      await renewal
    })
    assert.deepEqual([(await me(admin)).status, await balance(trial.walletId)], ['PAST_DUE', FULL - 59])
    await cancel(admin)
  })

  /** An agent of `creator` with 200 USD, and how somebody else claims it. */
  async function announced(creator: Person) {
    const { body: made } = await send<{ agent_id: string; claim_url: string }>('/agents/announce', creator, {
      name: 'Newcomer',
    })
    const { body: agent } = await service.http<{ walletId: string }>('GET', `/agents/${made.agent_id}`, {
      token: creator.token,
    })
    await fund(service, { ...creator, walletId: agent.walletId }, 200)
    const claim = async () => {
      const claimer = await registerHuman(service)
      const { status, text } = await send(`/agents/claim/${made.claim_url.split('/').at(-1)}`, claimer)
      assert.equal(status, 200, text)
    }
    return { walletId: agent.walletId, claim }
  }

  test('takes nothing from the wallet of an agent that somebody else claimed', async () => {
    const creator = await registerHuman(service)
    const { walletId, claim } = await announced(creator)
    await subscribed(creator, { walletId })
    await claim()
    await toPeriodEnd(creator)
    assert.deepEqual([(await me(creator)).status, await balance(walletId)], ['PAST_DUE', 141])
    await cancel(creator)
  })

  test('takes nothing from it for a declined card either', async () => {
    const creator = await registerHuman(service)
    const { walletId, claim } = await announced(creator)
    await subscribed(creator, { walletId, paymentMethodId: 'pm_card_visa' })
    await claim()
    await service.services.db.run(
      sql`update subscriptions_subscription set payment_method_id = 'pm_card_chargeDeclined' where account_id = ${creator.id}`,
    )
    await toPeriodEnd(creator)
    assert.deepEqual([(await me(creator)).status, await balance(walletId)], ['PAST_DUE', 200])
    await mailTo(service, creator.email, /tried again/)
    await cancel(creator)
  })

  test('what a closed organization gets back becomes unclaimed funds', async () => {
    const owner = await registerHuman(service)
    const slug = `closing-${owner.id.slice(-12)}`
    await send('/organizations', owner, { slug, name: 'Closing' })
    const { token } = owner
    const { body: wallet } = await service.http<{ id: string }>('GET', `/wallets/org/${slug}`, { token })
    await fund(service, { ...owner, walletId: wallet.id }, 59)
    await subscribed(owner, { walletId: wallet.id })
    assert.equal((await service.http('DELETE', `/organizations/${slug}`, { token })).status, 204)
    const unclaimed = () => balanceOf(service.services.db, accounts.unclaimed, 'USD')
    const before = await unclaimed()
    assert.equal((await cancel(owner, true)).status, 200)
    const swept = Number((await unclaimed()) - before) / 1e6
    assert.ok(swept > 56 && swept < 58, `${swept} is unclaimed`)
    assert.equal(await balance(wallet.id), 0)
  })
})
