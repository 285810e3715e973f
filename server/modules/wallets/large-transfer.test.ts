import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { generateSync } from 'otplib'
import { historyOf } from '#platform/kernel/machine'
import { newId } from '#platform/kernel/id'
import { fund, makeAdmin, registerHuman, startTestService, type Person, type TestService } from '#test'

interface Approval {
  id: string
  kind: string
  status: string
  requestedBy: string
  decidedBy: string | null
  reason: string | null
  expiresAt: string
  createdAt: string
  payload: Record<string, string>
}
interface Answer {
  wallet: { available: string }
  transaction: object | null
  approval?: Approval
  message: string
  hint?: string
  items: Approval[]
}

const HOUR = 3600

suite('admin transfers above the limit', () => {
  let service: TestService
  let admin: string
  let second: Person
  let from: Person
  let to: Person
  before(async () => {
    service = await startTestService({ ADMIN_TRANSFER_LIMIT_USD: '100' })
    admin = await service.adminToken()
    second = await registerHuman(service)
  })
  after(() => service.close())
  beforeEach(async () => {
    await setRole('ADMIN')
    from = await registerHuman(service)
    to = await registerHuman(service)
    await fund(service, from, 500)
  })

  const setRole = async (role: 'ADMIN' | 'USER') => {
    if (role === 'ADMIN') await makeAdmin(service, second)
    else await service.http('POST', `/admin/users/${second.id}/role`, { token: admin, body: { role } })
  }
  const post = (path: string, body: object, token = admin, headers = {}) =>
    service.http<Answer & Approval>('POST', path, { token, body, headers })
  const order = (amount: number | string, more = {}) => ({
    fromWalletId: from.walletId,
    toWalletId: to.walletId,
    amount,
    reason: 'a mistake put right',
    ...more,
  })
  const ask = async (amount = 200, token = admin): Promise<Approval> => {
    const { status, body, text } = await post('/wallets/transfer', order(amount), token)
    assert.equal(status, 201, text)
    assert.ok(body.approval)
    return body.approval
  }
  const decide = (event: 'approve' | 'reject', id: string, token = second.token, body = {}) =>
    post(`/admin/approvals/${id}/${event}`, body, token)
  const available = async ({ walletId, token }: Person) =>
    (await service.http<{ available: string }>('GET', `/wallets/${walletId}`, { token })).body.available
  const balances = async () => [await available(from), await available(to)]
  const list = async (query: string) =>
    (await service.http<Answer>('GET', `/admin/approvals?limit=100&${query}`, { token: admin })).body.items
  const statusOf = async (id: string) => (await list('')).find(each => each.id === id)?.status
  const historyLength = async (id: string) =>
    (await service.services.db.rows(historyOf('identity_approval', id))).length
  const events = async (id: string) =>
    (
      await service.http<{ items: { action: string }[] }>('GET', `/admin/audit?targetId=${id}`, {
        token: admin,
      })
    ).body.items.map(each => each.action)

  test('execute at the limit and wait for approval above it', async () => {
    const small = await post('/wallets/transfer', order(100))
    assert.deepEqual(
      [small.status, small.body.approval, await balances()],
      [201, undefined, ['400.00', '100.00']],
    )
    const large = await post('/wallets/transfer', order('100.000001'))
    assert.deepEqual(
      [large.status, large.body.transaction, large.body.wallet.available],
      [201, null, '400.00'],
    )
    const { status, kind, expiresAt, createdAt, payload } = large.body.approval ?? assert.fail(large.text)
    assert.deepEqual(
      [status, kind, payload.amount, payload.toWalletId],
      ['PENDING', 'wallet.transfer', '100.000001', to.walletId],
    )
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 24 * HOUR * 1000)
    assert.deepEqual(await balances(), ['400.00', '100.00'])
  })

  test('moves the money when another admin approves, and audits both admins', async () => {
    const { id, requestedBy } = await ask()
    const approved = await decide('approve', id, second.token, { reason: 'checked' })
    assert.deepEqual(
      [approved.status, approved.body.status, approved.body.decidedBy, approved.body.reason],
      [200, 'APPROVED', second.id, 'checked'],
    )
    assert.notEqual(requestedBy, second.id)
    assert.deepEqual(await balances(), ['300.00', '200.00'])
    assert.deepEqual(await events(id), ['approval.approved', 'approval.requested'])
    assert.deepEqual(await events(from.walletId), ['wallet.admin_transfer'])
    for (const event of ['approve', 'reject'] as const) assert.equal((await decide(event, id)).status, 409)
  })

  test('are final when another admin rejects them', async () => {
    const { id } = await ask()
    assert.deepEqual(
      [(await decide('reject', id)).body.status, (await decide('approve', id)).status],
      ['REJECTED', 409],
    )
    assert.deepEqual(
      [await balances(), await events(id)],
      [
        ['500.00', '0.00'],
        ['approval.rejected', 'approval.requested'],
      ],
    )
  })

  test('its requester and non-admins cannot decide; an unknown approval is 404', async () => {
    const { id } = await ask()
    for (const event of ['approve', 'reject'] as const) {
      const own = await decide(event, id, admin, { totpCode: '123456' })
      assert.deepEqual(
        [own.status, own.body.message, own.body.hint],
        [403, 'Forbidden', 'Another admin must decide your request'],
      )
      assert.equal((await decide(event, id, from.token)).status, 403)
      for (const unknown of [newId(), 'nonsense']) assert.equal((await decide(event, unknown)).status, 404)
    }
    assert.equal((await service.http('GET', '/admin/approvals', { token: from.token })).status, 403)
    assert.equal(await statusOf(id), 'PENDING')
  })

  test('move the money once for 32 parallel approvals', async () => {
    const { id } = await ask()
    const answers = await Promise.all(Array.from({ length: 32 }, () => decide('approve', id)))
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, ...Array.from({ length: 31 }, () => 409)],
    )
    assert.deepEqual([await balances(), await historyLength(id)], [['300.00', '200.00'], 1])
  })

  test('stay pending with 400 if the balance is too low at the approval', async () => {
    const { id } = await ask(600)
    const short = await decide('approve', id)
    assert.equal(short.status, 400)
    assert.match(short.body.message, /^Insufficient balance/)
    assert.deepEqual(
      [await statusOf(id), await historyLength(id), await events(id)],
      ['PENDING', 0, ['approval.requested']],
    )
    await fund(service, from, 100)
    assert.deepEqual([(await decide('approve', id)).status, await balances()], [200, ['0.00', '600.00']])
  })

  test('are validated before the approval request; one Idempotency-Key requests one', async () => {
    assert.equal((await post('/wallets/transfer', order(200, { toWalletId: from.walletId }))).status, 400)
    assert.equal((await post('/wallets/transfer', order(200, { toWalletId: newId() }))).status, 404)
    const headers = { 'idempotency-key': newId() }
    const [first, again] = [
      await post('/wallets/transfer', order(200), admin, headers),
      await post('/wallets/transfer', order(200), admin, headers),
    ]
    assert.ok(first.body.approval)
    assert.equal(first.body.approval.id, again.body.approval?.id)
    await service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '6 minutes' where account_id = $1`,
      [second.id],
    )
    for (const amount of [200, 1])
      assert.equal((await post('/wallets/transfer', order(amount), second.token)).status, 403)
    const proof = { password: 'correct horse battery staple' }
    assert.equal((await post('/auth/step-up', proof, second.token)).status, 200)
    assert.equal((await post('/wallets/transfer', order(200), second.token)).status, 201)
  })

  test('are listed by status; an unknown status is 400', async () => {
    const { id } = await ask()
    assert.ok((await list('status=PENDING')).some(each => each.id === id))
    assert.ok(!(await list('status=APPROVED')).some(each => each.id === id))
    assert.equal((await service.http('GET', '/admin/approvals?status=NONE', { token: admin })).status, 400)
  })

  test('expire after seven days without a decision', async () => {
    const { id } = await ask()
    await service.advance(7 * 24 * HOUR - 60)
    assert.equal(await statusOf(id), 'PENDING')
    await service.advance(61)
    assert.deepEqual([await statusOf(id), (await decide('approve', id)).status], ['EXPIRED', 409])
    assert.deepEqual(
      [await balances(), await events(id)],
      [
        ['500.00', '0.00'],
        ['approval.expired', 'approval.requested'],
      ],
    )
  })

  test('can be decided by the only admin after 24 hours with a TOTP code', async () => {
    const { id } = await ask()
    await setRole('USER')
    const early = await decide('approve', id, admin, { totpCode: '123456' })
    assert.equal(early.status, 403)
    assert.match(early.body.hint ?? '', /Without another independent admin you may decide it yourself from /)
    await service.advance(24 * HOUR)
    const without = await decide('approve', id, admin)
    assert.deepEqual(
      [without.status, without.body.message, without.body.hint],
      [403, 'Forbidden', 'Without another independent admin, send totpCode'],
    )
    assert.equal((await decide('approve', id, admin, { totpCode: '123456' })).status, 401)
    const { manualEntryKey: secret } = (
      await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token: admin })
    ).body
    const code = generateSync({ secret, epoch: Math.floor(Date.now() / 1000) })
    assert.equal((await post('/mfa/enable', { token: code })).status, 200)
    assert.deepEqual([await balances(), await statusOf(id)], [['500.00', '0.00'], 'PENDING'])
    const alone = await decide('approve', id, admin, { totpCode: code })
    assert.deepEqual(
      [alone.status, alone.body.status, await balances()],
      [200, 'APPROVED', ['300.00', '200.00']],
    )
  })
})
