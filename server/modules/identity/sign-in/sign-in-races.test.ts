import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateSync } from 'otplib'
import { erasure } from '#identity'
import type { Tx } from '#platform/kernel/db'
import {
  holdingLocks,
  linkTo,
  publishAgent,
  registerHuman,
  startTestService,
  type Answer,
  type ListedAgent,
  type Person,
  type TestService,
} from '#test'
import { revokeKeys } from '../credentials/key-lifecycle.ts'
import { hashPassword } from '../credentials/password.ts'
import { endSessions } from '../credentials/session.ts'
import { setPassword } from '../account/sql.ts'

interface Session {
  user: { id: string }
  mfaToken: string
  agentApiKey: string
}

const PASSWORD = 'correct horse battery staple'
const SECRET = 'c'.repeat(40)

/** A sign-in takes a while: what ends all sessions meanwhile ends that one too, or it does not begin. */
suite('a sign-in under way', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ INTERNAL_SECRET: SECRET })
  })
  after(() => service.close())

  const post = (path: string, body: object, token?: string) =>
    service.http<Session>('POST', path, { body, token })
  const login = ({ email }: Person) => post('/auth/login', { email, password: PASSWORD })
  const openSessions = async (id: string) => {
    const found = 'select from identity_session where account_id = $1 and ended_at is null'
    return (await service.services.db.pool.query(found, [id])).rowCount
  }

  /** Lets `signIn` run while a transaction that did `work` is not committed yet. */
  async function during(work: (tx: Tx) => Promise<void>, signIn: () => Promise<Answer<Session>>) {
    const { promise: gate, resolve: commit } = Promise.withResolvers<void>()
    const acted = Promise.withResolvers<void>()
    const ending = service.services.db.transaction(async tx => {
      await work(tx)
      acted.resolve()
      await gate
    })
    await Promise.race([acted.promise, ending])
    const answer = signIn()
    await Promise.race([answer, sleep(250)])
    commit()
    await ending
    return answer
  }
  const newPassword = (id: string) => async (tx: Tx) => {
    await tx.run(setPassword(id, await hashPassword('another good password', { account: id }), tx.now))
    await endSessions(tx, id, 'password_reset')
  }
  async function refused(id: string, answer: Answer<Session>, status: number): Promise<void> {
    assert.equal(answer.status, status, answer.text)
    assert.equal(await openSessions(id), 0)
  }

  test('with a password that is being replaced is refused', async () => {
    const person = await registerHuman(service)
    await refused(person.id, await during(newPassword(person.id), () => login(person)), 401)
  })

  test('is refused at the second factor while the password is being replaced', async () => {
    const person = await registerHuman(service)
    const setup = await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', {
      token: person.token,
    })
    const totpCode = generateSync({ secret: setup.body.manualEntryKey })
    assert.equal((await post('/mfa/enable', { token: totpCode }, person.token)).status, 200)
    const { mfaToken } = (await login(person)).body
    const second = () => post('/auth/login/mfa', { mfaToken, totpCode })
    await refused(person.id, await during(newPassword(person.id), second), 401)
  })

  test('is refused while the account is being deleted and stores nothing', async () => {
    const erase = (id: string) => async (tx: Tx) =>
      erasure.eraseAccount(tx, service.services, await erasure.lockToErase(tx, id))
    const person = await registerHuman(service)
    await refused(person.id, await during(erase(person.id), () => login(person)), 401)
    const other = await registerHuman(service)
    const token = await linkTo(service, other.email, 'verify')
    const verify = () => post('/auth/verify-email', { token }, other.token)
    await refused(other.id, await during(erase(other.id), verify), 400)
    const exchange = () =>
      service.http<Session>('POST', '/auth/session/exchange', {
        body: { provider: 'github', subject: '1' },
        headers: { 'x-internal-secret': SECRET },
      })
    const { id } = (await exchange()).body.user
    await refused(id, await during(erase(id), exchange), 401)
  })

  test('of an agent, with a key that is being revoked, is refused', async () => {
    const { body } = await service.http<Session>('POST', '/auth/register-agent', {
      body: { username: 'racing_bot' },
    })
    const { id } = body.user
    const revoke = async (tx: Tx) => {
      await revokeKeys(tx, { by: ['account', id] }, { accountId: id })
      await endSessions(tx, id, 'test')
    }
    const agentLogin = () => post('/auth/agent/login', { username: 'racing_bot', apiKey: body.agentApiKey })
    await refused(id, await during(revoke, agentLogin), 401)
  })

  test('by the holder of the address ends a key or claim link that is being made', async () => {
    const outsider = await registerHuman(service)
    type Made = Answer<{ apiKey: string; newApiKey: string; claimUrl: string }>
    const asKey = (key: string) => service.http('GET', '/agents/my-agents', { headers: { 'x-api-key': key } })
    const audit = () => 'lock table platform_audit in share mode'
    const ways: {
      hold(agent: ListedAgent): string
      make(agent: ListedAgent, keyId: string, token: string): Promise<Made>
      use(made: Made['body']): Promise<{ status: number }>
      refusal: number
    }[] = [
      {
        hold: audit,
        make: (_, keyId, token) =>
          service.http('POST', `/api/v1/service-accounts/${keyId}/rotate`, { token }),
        use: ({ apiKey }) => asKey(apiKey),
        refusal: 401,
      },
      {
        hold: audit,
        make: ({ id, apiKey }) =>
          service.http('POST', `/agents/${id}/rotate-key`, { headers: { 'x-agent-api-key': apiKey } }),
        use: ({ newApiKey }) => service.http('GET', '/vault', { headers: { 'x-agent-api-key': newApiKey } }),
        refusal: 401,
      },
      {
        hold: ({ id }) => `select from agents_agent where id = '${id}' for update`,
        make: ({ id }, _, token) => service.http('POST', `/agents/${id}/claim-link`, { token }),
        use: ({ claimUrl }) =>
          service.http('POST', `/agents/claim/${claimUrl.split('/').at(-1)}`, { token: outsider.token }),
        refusal: 404,
      },
    ]
    const statuses: number[] = []
    for (const { hold, make, use } of ways) {
      const person = await registerHuman(service)
      const agent = await publishAgent(service, person)
      const key = await service.http<{ id: string }>('POST', '/api/v1/service-accounts', {
        token: person.token,
        body: { name: 'key' },
      })
      await post('/auth/magic-link/request', { email: person.email })
      const token = await linkTo(service, person.email, 'login')
      const [made, proved] = await holdingLocks(service, async ({ query, waiters, commit }) => {
        await query(hold(agent))
        const making = make(agent, key.body.id, person.token)
        await waiters(1)
        const proving = post('/auth/magic-link/consume', { token })
        await waiters(2)
        await commit()
        return Promise.all([making, proving])
      })
      assert.equal(proved.status, 200, proved.text)
      assert.ok(made.status < 300, made.text)
      statuses.push((await use(made.body)).status)
    }
    assert.deepEqual(
      statuses,
      ways.map(({ refusal }) => refusal),
    )
  })

  test('while an old hash is replaced succeeds, however many there are', async () => {
    const person = await registerHuman(service)
    const salt = Buffer.alloc(16, 3)
    const cost = { parallelism: 1, tagLength: 32, memory: 64, passes: 1 }
    const tag = argon2Sync('argon2id', { message: PASSWORD, nonce: salt, ...cost })
    const [first, second] = [salt, tag].map(bytes => bytes.toString('base64').replaceAll('=', ''))
    await service.services.db.pool.query('update identity_account set password_hash = $1 where id = $2', [
      `$argon2id$v=19$m=64,t=1,p=1$${first}$${second}`,
      person.id,
    ])
    const answers = await Promise.all(Array.from({ length: 8 }, () => login(person)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array<number>(8).fill(200),
    )
  })
})
