import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import {
  fund,
  mailTo,
  makeAdmin,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface Body {
  role: string
  status: string
  code?: string
  hint?: string
  approval?: { id: string; kind: string }
}
const HOUR = 3600

/** One person is not two admins. */
suite('the decision of a second admin', () => {
  let service: TestService
  let admin: string
  let from: Person
  let to: Person
  before(async () => {
    service = await startTestService({ ADMIN_TRANSFER_LIMIT_USD: '100' })
    admin = await service.adminToken()
    from = await registerHuman(service)
    to = await registerHuman(service)
    await fund(service, from, 1000)
  })
  after(() => service.close())

  const post = (path: string, token: string, body: object = {}) =>
    service.http<Body>('POST', path, { token, body })
  const promote = ({ id }: Person, token = admin) => post(`/admin/users/${id}/role`, token, { role: 'ADMIN' })
  const demote = ({ id }: Person) => post(`/admin/users/${id}/role`, admin, { role: 'USER' })
  const order = async (token: string) => {
    const { body, text } = await post('/wallets/transfer', token, {
      fromWalletId: from.walletId,
      toWalletId: to.walletId,
      amount: 101,
      reason: 'test',
    })
    assert.ok(body.approval, text)
    return body.approval.id
  }
  const approve = async (id: string, token: string, body: object = {}) => {
    const { status, body: answer } = await post(`/admin/approvals/${id}/approve`, token, body)
    return status === 200 ? answer.status : answer.code
  }
  const roleOf = async ({ id }: Person) =>
    (
      await service.services.db.pool.query<{ role: string }>(
        'select role from identity_account where id = $1',
        [id],
      )
    ).rows[0]?.role

  test('cannot come from an admin whom the requester appointed, for seven days', async () => {
    const puppet = await registerHuman(service)
    const early = await order(admin)
    assert.equal((await promote(puppet)).body.role, 'ADMIN')
    assert.equal(await approve(early, puppet.token), 'SECOND_ADMIN_REQUIRED')
    assert.equal(await approve(await order(admin), puppet.token), 'SECOND_ADMIN_REQUIRED')
    // Nor the other way round.
    assert.equal(await approve(await order(puppet.token), admin), 'SECOND_ADMIN_REQUIRED')
    await service.advance(7 * 24 * HOUR)
    assert.equal(await approve(await order(admin), puppet.token), 'APPROVED')
    await demote(puppet)
  })

  test('is required for a new admin, who is independent at once', async () => {
    const [second, third] = [await registerHuman(service), await registerHuman(service)]
    await makeAdmin(service, second)
    const { status, body } = await promote(third)
    assert.deepEqual(
      [status, body.role, body.approval?.kind, await roleOf(third)],
      [200, 'USER', 'account.role', 'USER'],
    )
    const before = await order(admin)
    assert.equal(await approve(body.approval?.id ?? '', admin), 'SECOND_ADMIN_REQUIRED')
    assert.deepEqual(
      [await approve(body.approval?.id ?? '', second.token), await roleOf(third)],
      ['APPROVED', 'ADMIN'],
    )
    await mailTo(service, third.email, /became an admin account/)
    assert.equal(
      await approve(before, third.token),
      'SECOND_ADMIN_REQUIRED',
      'an admin since after the request',
    )
    assert.equal(await approve(await order(admin), third.token), 'APPROVED')
    await demote(second)
    await demote(third)
  })

  test('is waited for 24 h again after the requester removed the other admin', async () => {
    const second = await registerHuman(service)
    const removals = [
      () => post(`/admin/users/${second.id}/suspend`, admin, { reason: 'test' }),
      () => demote(second),
    ]
    for (const remove of removals) {
      await makeAdmin(service, second)
      const id = await order(admin)
      const hint = async () => (await post(`/admin/approvals/${id}/approve`, admin)).body.hint
      await service.advance(25 * HOUR)
      assert.equal(await hint(), 'Another admin must decide your request')
      assert.equal((await remove()).status, 200)
      assert.match((await hint()) ?? '', /you may decide it yourself from/)
      await service.advance(25 * HOUR)
      assert.match((await hint()) ?? '', /send totpCode/)
      if (remove === removals[0]) {
        await mailTo(service, second.email, /Your admin account was suspended/)
        await post(`/admin/users/${second.id}/reinstate`, admin, { reason: 'test' })
      }
    }
  })

  test('without an independent admin the requester decides after 24 h with a code', async () => {
    const puppet = await registerHuman(service)
    await promote(puppet)
    const id = await order(admin)
    const { manualEntryKey: secret } = (
      await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token: admin })
    ).body
    const totpCode = generateSync({ secret, epoch: Math.floor(Date.now() / 1000) })
    assert.equal((await post('/mfa/enable', admin, { token: totpCode })).status, 200)
    assert.equal(await approve(id, admin, { totpCode }), 'SECOND_ADMIN_REQUIRED')
    await service.services.db.pool.query(
      `update identity_approval set created_at = created_at - interval '25 hours' where id = $1`,
      [id],
    )
    await service.services.db.pool.query(
      `update identity_account set admin_removed_at = admin_removed_at - interval '25 hours'`,
    )
    assert.equal(await approve(id, admin, { totpCode }), 'APPROVED')
  })
})
