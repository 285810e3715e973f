import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { generateSync } from 'otplib'
import { auditEvents } from '#platform/kernel/audit'
import { linkTo, registerHuman, startTestService, type TestService } from '#test'
import { planOf } from '../../../../test/support/database/plan.ts'

interface Event {
  id: string
  action: string
  ip: string | null
  requestId: string | null
  details: Record<string, unknown> | null
}
interface Answer {
  id: string
  user: { id: string }
  accessToken: string
  mfaToken: string
  manualEntryKey: string
  backupCodes: string[]
  claim_url: string
  agent_id: string
}

const PASSWORD = 'correct horse battery staple'
const NEXT = 'another good password'
const SECRET = 'd'.repeat(40)

/** Each security event leaves exactly its own mark, with where it came from. */
suite('the audit log of an account', () => {
  let service: TestService
  let admin: string
  before(async () => {
    service = await startTestService({ INTERNAL_SECRET: SECRET })
    admin = await service.adminToken()
  })
  after(() => service.close())

  async function must(path: string, body: object, token?: string, headers = {}): Promise<Answer> {
    const answer = await service.http<Answer>('POST', path, { body, token, headers })
    assert.ok(answer.status < 300, `${path}: ${answer.text}`)
    return answer.body
  }
  const find = async (query: string) =>
    (await service.http<{ items: Event[] }>('GET', `/admin/audit?limit=100&${query}`, { token: admin })).body
      .items
  /** What an account did and suffered, oldest first. */
  async function trail(id: string): Promise<Event[]> {
    const events = [...(await find(`actorId=${id}`)), ...(await find(`targetId=${id}`))]
    const others = events.filter(({ action }) => action !== 'session.started')
    return [...new Map(others.map(event => [event.id, event])).values()].toSorted((a, b) =>
      a.id < b.id ? -1 : 1,
    )
  }
  const actionsOf = async (id: string) => (await trail(id)).map(event => event.action)

  test('records changes of address, password, second factor and role, with origin', async () => {
    const { id, email, token } = await registerHuman(service)
    await must('/auth/verify-email', { token: await linkTo(service, email, 'verify') }, token)
    await must('/auth/change-password', { currentPassword: PASSWORD, newPassword: NEXT }, token)
    const { manualEntryKey: secret } = await must('/mfa/setup', {}, token)
    const { backupCodes } = await must('/mfa/enable', { token: generateSync({ secret }) }, token)
    const { mfaToken } = await must('/auth/login', { email, password: NEXT })
    await must('/auth/login/mfa', { mfaToken, totpCode: backupCodes[0] })
    await must('/auth/step-up', { totpCode: generateSync({ secret }) }, token)
    await must('/mfa/disable', { token: generateSync({ secret }) }, token)
    await must(`/admin/users/${id}/role`, { role: 'ADMIN' }, admin)
    await must('/auth/forgot-password', { email })
    await must('/auth/reset-password', {
      token: await linkTo(service, email, 'reset'),
      newPassword: PASSWORD,
    })
    const events = await trail(id)
    assert.deepEqual(
      events.map(event => event.action),
      [
        'account.email_verified',
        'account.password_changed',
        'mfa.enabled',
        'mfa.backup_code_used',
        'session.stepped_up',
        'mfa.disabled',
        'account.role_changed',
        'account.password_reset',
      ],
    )
    for (const { action, ip, requestId } of events) assert.ok(ip === '127.0.0.1' && requestId, action)
    assert.deepEqual(events.find(({ action }) => action === 'account.role_changed')?.details, {
      from: 'USER',
      to: 'ADMIN',
    })
  })

  test('records exhausted attempts once for MFA, step-up and password change', async () => {
    const { id, email, token } = await registerHuman(service)
    const post = async (path: string, body: object, bearer?: string) =>
      (await service.http('POST', path, { body, token: bearer })).status
    const wrong = { currentPassword: 'wrong', newPassword: NEXT }
    const tries = (work: () => Promise<number>, length = 11) => Promise.all(Array.from({ length }, work))
    await tries(() => post('/auth/change-password', wrong, token))
    await tries(() => post('/auth/step-up', { password: 'wrong' }, token))
    const { manualEntryKey: secret } = await must('/mfa/setup', {}, token)
    await must('/mfa/enable', { token: generateSync({ secret }) }, token)
    for (const length of [5, 5, 1]) {
      const { mfaToken } = await must('/auth/login', { email, password: PASSWORD })
      await tries(() => post('/auth/login/mfa', { mfaToken, totpCode: '12345' }), length)
    }
    const events = await trail(id)
    assert.deepEqual(
      events.map(event => event.action),
      [
        'change_password.failed',
        'change_password.locked',
        'step_up.failed',
        'step_up.locked',
        'mfa.enabled',
        'mfa.failed',
        'mfa.locked',
      ],
    )
    for (const { action, ip, requestId } of events) assert.ok(ip === '127.0.0.1' && requestId, action)
  })

  test('records linked identities, claimed agents, the first admin and deletions', async () => {
    const linked = await must('/auth/session/exchange', { provider: 'github', subject: '1' }, undefined, {
      'x-internal-secret': SECRET,
    })
    assert.deepEqual(await actionsOf(linked.user.id), ['account.identity_linked'])
    const creator = await registerHuman(service)
    const announced = await must('/agents/announce', { name: 'Announced' }, creator.token)
    await must(`/agents/claim/${announced.claim_url.split('/').at(-1)}`, {}, linked.accessToken)
    const claimed = (await trail(announced.agent_id)).at(-1)
    assert.deepEqual([claimed?.action, claimed?.ip], ['agent.claimed', '127.0.0.1'])
    assert.equal((await find('action=admin.created')).length, 1)
    await service.http('DELETE', '/users/me', { token: linked.accessToken })
    const left = await trail(linked.user.id)
    assert.ok(left.some(({ action }) => action === 'account.deleted'))
    assert.ok(left.every(({ ip }) => ip === null))
  })

  test('finds the events of an action by an index, newest first', async () => {
    const statement = auditEvents({ action: 'admin.created' }, { limit: 20, offset: 0 })
    const plan = await planOf(service, statement, ['enable_seqscan', 'enable_sort'])
    assert.match(plan, /platform_audit_action/)
    assert.doesNotMatch(plan, /Sort/)
  })
})
