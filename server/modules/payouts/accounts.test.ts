import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, mock, suite, test } from 'node:test'
import { processorOf } from '#payments'
import {
  connectBank,
  fund,
  mailTo,
  publishAgent,
  registerHuman,
  sharedService,
  type Person,
  type TestService,
} from '#test'

interface Body {
  accountId: string | null
  status: string
  code: string
  isConnected: boolean
  isPayoutsEnabled: boolean
  isReady: boolean
  requirements: string[]
  details: { status: string }
}

suite('payout accounts', () => {
  let service: TestService
  let owner: Person
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())
  afterEach(() => mock.restoreAll())
  beforeEach(async () => {
    owner = await registerHuman(service)
  })

  const post = (path: string, body: object = {}, token = owner.token) =>
    service.http<Body>('POST', path, { token, body })
  const get = (path: string) => service.http<Body>('GET', path, { token: owner.token })
  const verdict = async (answer: Promise<{ status: number; body: Body }>) => {
    const { status, body } = await answer
    return [status, body.code]
  }

  test('go through the states of a payout account', async () => {
    const none = await get('/payouts/user/account-status')
    assert.deepEqual(
      [none.body.accountId, none.body.status, none.body.isConnected, none.body.isReady],
      [null, 'NOT_CONNECTED', false, false],
    )
    assert.deepEqual(await verdict(post('/payouts/user/request', { amount: 5 })), [
      400,
      'WALLET_NOT_CONFIGURED',
    ])
    assert.equal((await post('/payouts/user/setup', { returnUrl: 'javascript:1' })).status, 400)
    const first = await post('/payouts/user/setup', { country: 'US' })
    assert.equal(first.status, 201)
    const pending = await get('/payouts/user/account-status')
    assert.deepEqual(
      [pending.body.accountId, pending.body.status, pending.body.isConnected, pending.body.isReady],
      [first.body.accountId, 'PENDING', true, false],
    )
    assert.ok(pending.body.requirements.includes('external_account'))
    const early = await post('/payouts/user/request', { amount: 5 })
    assert.deepEqual(
      [early.status, early.body.code, early.body.details.status],
      [400, 'PAYOUT_ACCOUNT_NOT_READY', 'PENDING'],
    )
    assert.equal(await connectBank(service, owner.token, { idNumber: '111111111' }), first.body.accountId)
    assert.equal((await get('/payouts/user/account-status')).body.status, 'RESTRICTED')
    await connectBank(service, owner.token)
    const ready = await get('/payouts/user/account-status')
    assert.deepEqual(
      [ready.body.status, ready.body.isPayoutsEnabled, ready.body.isReady, ready.body.requirements],
      ['ACTIVE', true, true, []],
    )
    assert.equal((await post('/payouts/user/setup')).body.isReady, true)
    await mailTo(service, owner.email, /bank account was connected/)
  })

  test('are not set back by an older reading that is stored later', async () => {
    assert.equal((await post('/payouts/user/setup', { country: 'US' })).status, 201)
    const { accounts } = processorOf(service.services)
    const read = accounts.read.bind(accounts)
    const slow = mock.method(accounts, 'read', async (accountId: string) => {
      slow.mock.restore()
      const before = await read(accountId)
      await connectBank(service, owner.token)
      return before
    })
    const { status, body } = await post('/payouts/user/setup')
    assert.deepEqual([status, body.isReady], [201, true])
    assert.equal((await get('/payouts/user/account-status')).body.status, 'ACTIVE')
  })

  test('are refused for an account that the processor rejected', async () => {
    const agent = await publishAgent(service, owner)
    const slug = `bank-of-${owner.id.slice(-12)}`
    assert.equal((await post('/organizations', { slug, name: 'Works' })).status, 201)
    for (const [path, named] of [
      ['/payouts/user/setup', {}],
      ['/payouts/setup', { agentId: agent.id }],
      ['/payouts/org/setup', { organizationSlug: slug }],
    ] as const) {
      await connectBank(service, owner.token, { ...named, idNumber: '999999999' })
      assert.deepEqual(await verdict(post(path, named)), [409, 'PAYOUT_ACCOUNT_REJECTED'])
    }
    assert.equal((await get('/payouts/user/account-status')).body.status, 'REJECTED')
  })

  test('need a fresh proof to be set up, not to be requested', async () => {
    await connectBank(service, owner.token)
    await fund(service, owner, 10)
    const age = `update identity_session set created_at = now() - interval '6 minutes', proved_at = null where account_id = $1`
    await service.services.db.pool.query(age, [owner.id])
    assert.deepEqual(await verdict(post('/payouts/user/setup')), [403, 'STEP_UP_REQUIRED'])
    assert.equal((await post('/payouts/user/request', { amount: 5 })).status, 201)
  })
})
