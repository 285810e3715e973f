import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { linkTo, publishAgent, registerHuman, startTestService, type TestService } from '#test'

/** Where the database keeps what proves somebody: the table and its column. */
const KEPT = [
  ['identity_refresh_token', 'hash'],
  ['identity_link', 'hash'],
  ['identity_key', 'hash'],
  ['agents_claim_token', 'token_hash'],
] as const

suite('what proves somebody', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.close())

  test('is kept as its SHA-256 alone: refresh tokens, links, claim tokens and keys of every kind', async () => {
    const person = await registerHuman(service)
    const { body: key } = await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
      token: person.token,
      body: { name: 'Key' },
    })
    const { apiKey } = await publishAgent(service, person)
    const { body: announced } = await service.http<{ claim_url: string }>('POST', '/agents/announce', {
      token: person.token,
      body: { name: 'Announced' },
    })
    const { body: next } = await service.http<{ refreshToken: string }>('POST', '/auth/refresh', {
      body: { refreshToken: person.refreshToken },
    })
    const secrets = [
      [person.refreshToken, KEPT[0]],
      [next.refreshToken, KEPT[0]],
      [await linkTo(service, person.email, 'verify'), KEPT[1]],
      [key.apiKey, KEPT[2]],
      [apiKey, KEPT[2]],
      [announced.claim_url.split('/').at(-1) ?? '', KEPT[3]],
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
})
