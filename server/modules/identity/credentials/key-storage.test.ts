import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { linkTo, publishAgent, registerHuman, sharedService, type Person, type TestService } from '#test'

interface ServiceAccount {
  id: string
  apiKey: string
}

/** Where the database keeps what proves somebody: the table and its column. */
const STORED = [
  ['identity_refresh_token', 'hash'],
  ['identity_link', 'hash'],
  ['identity_key', 'hash'],
  ['agents_claim_token', 'token_hash'],
] as const

/** What the database and the audit log contain of credentials. */
suite('stored credentials', () => {
  let service: TestService
  let person: Person
  before(async () => {
    service = await sharedService()
    person = await registerHuman(service)
  })
  after(() => service.close())

  const query = (text: string, values: unknown[] = []) =>
    service.services.db.pool.query<Record<string, string | null>>(text, values)
  const createKey = async (body: object = {}) =>
    (
      await service.http<ServiceAccount>('POST', '/api/v1/service-accounts', {
        token: person.token,
        body: { name: 'Key', ...body },
      })
    ).body

  test('refresh tokens, links, claim tokens and keys are stored only as SHA-256', async () => {
    const owner = await registerHuman(service)
    const { body: key } = await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
      token: owner.token,
      body: { name: 'Key' },
    })
    const { apiKey } = await publishAgent(service, owner)
    const { body: announced } = await service.http<{ claim_url: string }>('POST', '/agents/announce', {
      token: owner.token,
      body: { name: 'Announced' },
    })
    const { body: next } = await service.http<{ refreshToken: string }>('POST', '/auth/refresh', {
      body: { refreshToken: owner.refreshToken },
    })
    const secrets = [
      [owner.refreshToken, STORED[0]],
      [next.refreshToken, STORED[0]],
      [await linkTo(service, owner.email, 'verify'), STORED[1]],
      [key.apiKey, STORED[2]],
      [apiKey, STORED[2]],
      [announced.claim_url.split('/').at(-1) ?? '', STORED[3]],
    ] as const
    for (const [secret, [table, column]] of secrets) {
      // 128 bits and more, in six bits a character.
      assert.ok(secret.length * 6 >= 128, table)
      const { rowCount } = await service.services.db.pool.query(`select from ${table} where ${column} = $1`, [
        createHash('sha256').update(secret).digest(),
      ])
      assert.equal(rowCount, 1, table)
    }
  })

  test('the database contains only the hash and last four characters of a key', async () => {
    const { apiKey } = await createKey()
    const { rows } = await query(
      'select row_to_json(k)::text as text from identity_key k union all select row_to_json(p)::text from platform_audit_private p',
    )
    assert.ok(rows.every(row => !(row.text ?? '').includes(apiKey.slice(3, 30))))
  })

  test('the audit log contains issue, rotation, expiry and revocation of a key', async () => {
    const { id } = await createKey()
    for (const [method, path] of [
      ['POST', '/rotate'],
      ['POST', '/expire'],
      ['DELETE', ''],
    ] as const)
      await service.http(method, `/api/v1/service-accounts/${id}${path}`, { token: person.token })
    const { rows } = await query('select action from platform_audit where target_id = $1 order by at, id', [
      id,
    ])
    assert.deepEqual(
      rows.map(row => row.action),
      ['key.issued', 'key.rotated', 'key.issued', 'key.expired', 'key.revoked', 'key.revoked'],
    )
  })
})
