import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdingLocks, registerHuman, sharedService, type Person, type TestService } from '#test'

interface SignedIn {
  accessToken: string
  refreshToken: string
}
type Answer = Awaited<ReturnType<TestService['http']>>

const PASSWORD = 'correct horse battery staple'
// Fewer than the tries that an address has in 15 minutes.
const CALLERS = 9

suite('a sign-in that runs while the account is suspended', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const query = (text: string, values: unknown[] = []) =>
    service.services.db.pool.query<{ count: number }>(text, values)
  const post = <Body = SignedIn>(path: string, body?: object, token?: string) =>
    service.http<Body>('POST', path, { body, token })
  const login = (person: Person) => post('/auth/login', { email: person.email, password: PASSWORD })
  const agent = async () =>
    (
      await post<{ user: { id: string; username: string }; accessToken: string; agentApiKey: string }>(
        '/auth/register-agent',
        { username: `a${Math.random().toString(36).slice(2, 12)}` },
      )
    ).body
  const waits = async (table: string) => {
    const text = `select count(*)::int from pg_locks where relation = $1::regclass and not granted`
    return (await query(text, [table])).rows[0]?.count !== 0
  }
  const isLocked = async (table: string, id: string) =>
    (await query(`select from ${table} where id = $1 for share skip locked`, [id])).rows.length === 0

  /**
   * Lets `change` lock its row and go as far as to `table`, which it writes late, and sends the sign-ins then: all of them
   * read the state before the commit.
   */
  async function during<Body>(
    {
      change,
      row,
      table,
    }: { change: () => Promise<Answer>; row: [table: string, id: string]; table: string },
    signIns: () => Promise<{ status: number; body: Body }>[],
  ): Promise<{ status: number; body: Body }[]> {
    return holdingLocks(service, async holder => {
      await holder.query(`lock table ${table} in exclusive mode`)
      const acting = change()
      while (!(await isLocked(...row)) || !(await waits(table))) {
        const early = await Promise.race([acting, sleep(5)])
        assert.equal(early, undefined, `the change did not wait: ${early?.status} ${early?.text}`)
      }
      const answers = Promise.all(signIns())
      await sleep(500)
      await holder.commit()
      const { status, text } = await acting
      assert.ok(status < 300, `${status} ${text}`)
      return await answers
    })
  }
  const many = <T>(change: () => Promise<T>) => Array.from({ length: CALLERS }, change)
  const statuses = (answers: { status: number }[]) => [...new Set(answers.map(answer => answer.status))]

  test('at any moment of a deletion: whoever got in before is out after it', async () => {
    for (let round = 0; round < 4; round++) {
      const person = await registerHuman(service)
      const signIns = Array.from({ length: CALLERS }, async (_, index) => {
        await sleep(index * 6)
        return index % 4 ? login(person) : post('/auth/refresh', { refreshToken: person.refreshToken })
      })
      await sleep(round * 12)
      assert.equal((await service.http('DELETE', '/users/me', { token: person.token })).status, 204)
      for (const { status, body } of await Promise.all(signIns)) {
        assert.ok(status === 200 || status === 401, `status ${status}`)
        if (status !== 200) continue
        assert.equal((await service.http('GET', '/users/me', { token: body.accessToken })).status, 401)
        assert.equal((await post('/auth/refresh', { refreshToken: body.refreshToken })).status, 401)
      }
      const left = await query('select count(*)::int from identity_session where account_id = $1', [
        person.id,
      ])
      assert.equal(left.rows[0]?.count, 0)
    }
  })

  test('by a key is a 401 while its account is deleted or the key ends', async () => {
    const changes = [
      { table: 'identity_link', change: (token: string) => service.http('DELETE', '/users/me', { token }) },
      { table: 'platform_audit', change: (token: string, id: string) => onKey('DELETE', id, token) },
      {
        table: 'platform_audit',
        change: (token: string, id: string) => onKey('POST', `${id}/expire`, token),
      },
    ]
    for (const { table, change } of changes) {
      const { user, accessToken: token, agentApiKey } = await agent()
      const list = await service.http<{ items: { id: string }[] }>('GET', '/api/v1/service-accounts', {
        token,
      })
      const id = list.body.items[0]?.id ?? ''
      const row: [string, string] =
        table === 'platform_audit' ? ['identity_service_account', id] : ['identity_account', user.id]
      const answers = await during({ table, row, change: () => change(token, id) }, () =>
        many(() => post('/auth/agent/login', { username: user.username, apiKey: agentApiKey })),
      )
      assert.deepEqual(statuses(answers), [401], String(change))
      const text =
        'select count(*)::int from identity_session where account_id = $1 and key_id is not null and ended_at is null'
      assert.equal((await query(text, [user.id])).rows[0]?.count, 0)
    }
  })
  const onKey = (method: string, path: string, token: string) =>
    service.http(method, `/api/v1/service-accounts/${path}`, { token })
})
