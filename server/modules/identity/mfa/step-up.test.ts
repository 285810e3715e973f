import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { generateSync } from 'otplib'
import { requireStepUp } from '#identity'
import { ApiError } from '#platform/kernel/errors'
import { registerHuman, sessionContext, sharedService, statementsOf, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'

suite('step-up', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const stepUp = (token: string, body: object) =>
    service.http<{ ok: boolean; validUntil: string; message: string }>('POST', '/auth/step-up', {
      token,
      body,
    })

  async function statusOfSensitiveCall(token: string, real = new Date()): Promise<number> {
    const { sid = '', sub = '' } = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    ) as {
      sid?: string
      sub?: string
    }
    const ctx = sessionContext({ accountId: sub, sessionId: sid })
    return requireStepUp(service.services.db, ctx, real).then(
      () => 200,
      (error: unknown) => (error instanceof ApiError ? error.row.status : 500),
    )
  }
  const inSixMinutes = () => new Date(Date.now() + 6 * 60_000)

  test('a fresh sign-in counts for five minutes; after that the password does again', async () => {
    const { token, id } = await registerHuman(service)
    assert.equal(await statusOfSensitiveCall(token), 200)
    assert.equal(await statusOfSensitiveCall(token, inSixMinutes()), 403)
    await service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '6 minutes' where account_id = $1`,
      [id],
    )
    assert.equal(await statusOfSensitiveCall(token), 403)
    const { status, body } = await stepUp(token, { password: PASSWORD })
    assert.deepEqual([status, body.ok], [200, true])
    assert.ok(Math.abs(Date.parse(body.validUntil) - Date.now() - 300_000) < 30_000)
    assert.equal(await statusOfSensitiveCall(token), 200)
    assert.equal(await statusOfSensitiveCall(token, inSixMinutes()), 403)
  })

  test('a wrong password is a 401 and counts: ten in fifteen minutes', async () => {
    const { token } = await registerHuman(service)
    const answers = await Promise.all(Array.from({ length: 14 }, () => stepUp(token, { password: 'wrong' })))
    assert.equal(answers.filter(answer => answer.status === 401).length, 10)
    assert.equal((await stepUp(token, { password: PASSWORD })).status, 429)
  })

  test('none or several proofs are a 400, a code without a second factor a 401', async () => {
    const { token } = await registerHuman(service)
    assert.equal((await stepUp(token, {})).status, 400)
    assert.equal((await stepUp(token, { password: PASSWORD, totpCode: '123456' })).status, 400)
    assert.equal((await stepUp(token, { totpCode: '123456' })).status, 401)
  })

  test("an agent account proves itself with its own key, not with another's", async () => {
    const agent = async () =>
      (
        await service.http<{ accessToken: string; agentApiKey: string }>('POST', '/auth/register-agent', {
          body: { username: `a${randomBytes(5).toString('hex')}` },
        })
      ).body
    const [one, other] = [await agent(), await agent()]
    assert.equal((await stepUp(one.accessToken, { apiKey: one.agentApiKey })).status, 200)
    assert.equal((await stepUp(one.accessToken, { apiKey: other.agentApiKey })).status, 401)
    assert.equal((await stepUp(one.accessToken, { apiKey: 'sk_nonsense' })).status, 401)
    const mistyped = one.agentApiKey.slice(0, -1) + (one.agentApiKey.endsWith('a') ? 'b' : 'a')
    assert.deepEqual(
      await statementsOf(service, /identity_key/, () => stepUp(one.accessToken, { apiKey: mistyped })),
      [],
    )
    assert.equal((await stepUp(one.accessToken, { password: '' })).status, 401)
    const { body: made } = await service.http<{ apiKey: string }>('POST', '/agents', {
      token: one.accessToken,
      body: { name: 'Of one' },
    })
    assert.match(made.apiKey, /^sa_/)
    assert.equal((await stepUp(one.accessToken, { apiKey: made.apiKey })).status, 401)
    const { pool } = service.services.db
    await pool.query(`update identity_service_account set scopes = '{agent:read}' where kind = 'sk'`)
    assert.equal((await stepUp(one.accessToken, { apiKey: one.agentApiKey })).status, 401)
  })

  test('where there is a second factor, the password alone proves nothing', async () => {
    const { token } = await registerHuman(service)
    const { body } = await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    const totpCode = generateSync({ secret: body.manualEntryKey })
    assert.equal(
      (await service.http('POST', '/mfa/enable', { token, body: { token: totpCode } })).status,
      200,
    )
    const refused = await stepUp(token, { password: PASSWORD })
    assert.deepEqual([refused.status, refused.body.message.startsWith('Step-up required')], [403, true])
    assert.equal((await stepUp(token, { totpCode })).status, 200)
  })

  test('a backup code proves the owner once, and is audited', async () => {
    const { token, id } = await registerHuman(service)
    const { body } = await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
    const enabled = await service.http<{ backupCodes: string[] }>('POST', '/mfa/enable', {
      token,
      body: { token: generateSync({ secret: body.manualEntryKey }) },
    })
    const [totpCode] = enabled.body.backupCodes
    assert.equal((await stepUp(token, { totpCode })).status, 200)
    assert.equal((await stepUp(token, { totpCode })).status, 401)
    const { rows } = await service.services.db.pool.query(
      `select from platform_audit where action = 'mfa.backup_code_used' and target_id = $1`,
      [id],
    )
    assert.equal(rows.length, 1)
  })

  test('a proof counts for its own session alone', async () => {
    const { email, token, id } = await registerHuman(service)
    const other = await service.http<{ accessToken: string }>('POST', '/auth/login', {
      body: { email, password: PASSWORD },
    })
    await service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '6 minutes' where account_id = $1`,
      [id],
    )
    assert.equal((await stepUp(token, { password: PASSWORD })).status, 200)
    assert.deepEqual(
      [await statusOfSensitiveCall(token), await statusOfSensitiveCall(other.body.accessToken)],
      [200, 403],
    )
  })
})
