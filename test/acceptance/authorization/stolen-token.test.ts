import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestService, type Answer, type TestService } from '#test'
import { POWERS } from './access-token.ts'
import { matrix } from './matrix.ts'
import type { Row } from './row.ts'
import { resetLimits } from './snapshot.ts'
import type { Target } from './targets.ts'
import { openFixtures, type Fixtures } from './fixtures.ts'

const WITH_TOKEN = new Set(['jwt', 'jwt-human', 'admin', 'service', 'agent', 'agent-key|jwt'])
const changes = ({ operation }: Row) => !operation.startsWith('GET ')
const takesToken = ({ word }: Row) => WITH_TOKEN.has(word)

/** What would outlive an access token. Keys of agents are made with their agents. */
const LASTING = {
  keys: `select count(*) from identity_key where kind = 'sk'`,
  routingKeys: 'select count(*) from gateway_key',
  sessions: 'select count(*) from identity_session',
  factors: 'select count(*) from identity_mfa',
  identities: 'select count(*) from identity_external',
  admins: `select count(*) from identity_account where role = 'ADMIN'`,
  passwords: `select md5(string_agg(coalesce(email, '') || coalesce(password_hash, ''), ',' order by id)) from identity_account`,
}

/** With a stolen access token, and no proof, nothing that outlives it is made and nothing is done for good. */
suite('a stolen access token', () => {
  let fixtures: Fixtures
  let service: TestService
  before(async () => {
    service = await startTestService({ ENABLE_AGENT_SIGNUP: 'true', TRANSFER_STEP_UP_USD: '0' })
    fixtures = await openFixtures(service)
  })
  after(() => service.close())

  const sql = async <Row extends object>(text: string) =>
    (await service.services.db.pool.query<Row>(text)).rows
  const age = () =>
    sql(`update identity_session set created_at = now() - interval '6 minutes', proved_at = null`)
  const renew = () => sql(`update identity_session set created_at = now(), proved_at = now()`)
  type Refusal = Answer<{ code?: string } | undefined>

  async function send(row: Row, target: Target, body: object | undefined): Promise<Refusal> {
    const [method = '', template = ''] = row.operation.split(' ')
    const ids = [...target.ids]
    const path = template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(ids.shift() ?? ''))
    const token = row.word === 'admin' ? fixtures.admin : fixtures.tenants[0].token
    await resetLimits(service)
    return service.http(method, row.query ? `${path}?${row.query}` : path, { token, body })
  }

  async function withOldToken(row: Row): Promise<Refusal> {
    const { body, target: prepare = row.target } = POWERS[row.operation] ?? {}
    const target = (await prepare?.(fixtures, fixtures.tenants[0])) ?? { ids: [] }
    const sent = body?.(target.ids) ?? row.body?.(target.ids, fixtures, fixtures.tenants[0])
    await age()
    try {
      return await send(row, target, sent as object | undefined)
    } finally {
      await renew()
    }
  }

  test('every operation that accepts one has a class with a reason', async () => {
    const { body } = await service.http<{ paths: Record<string, object> }>('GET', '/openapi.json')
    const documented = Object.entries(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
    )
    const rows = new Map(matrix.map(row => [row.operation, row]))
    const classed = documented.filter(
      operation => !operation.startsWith('GET ') && WITH_TOKEN.has(rows.get(operation)?.word ?? 'jwt'),
    )
    assert.deepEqual(
      classed.filter(operation => !POWERS[operation]),
      [],
      'operations without a class: test/acceptance/authorization/access-token.ts',
    )
    assert.deepEqual(
      Object.keys(POWERS).filter(operation => !classed.includes(operation)),
      [],
      'classes without an operation',
    )
    for (const [operation, { reason }] of Object.entries(POWERS)) assert.ok(reason, operation)
  })

  const rows = matrix.filter(row => changes(row) && takesToken(row) && !row.unasked)
  const needsProof = (row: Row) => POWERS[row.operation]?.power === 'step-up'

  suite('is refused without a fresh proof', () => {
    for (const row of rows.filter(needsProof)) {
      test(`${row.operation}, ${row.target?.name ?? 'own'}`, async () => {
        const { status, body, text } = await withOldToken(row)
        assert.deepEqual([status, body?.code], [403, 'STEP_UP_REQUIRED'], text)
      })
    }
  })

  suite('makes nothing that lasts by what is let through', () => {
    for (const row of rows.filter(row => !needsProof(row) && !row.operation.includes('sandbox'))) {
      test(`${row.operation}, ${row.target?.name ?? 'own'}`, async () => {
        const target = (await row.target?.(fixtures, fixtures.tenants[0])) ?? { ids: [] }
        await age()
        const lasting = async () =>
          Object.fromEntries(
            await Promise.all(
              Object.entries(LASTING).map(
                async ([name, query]) =>
                  [name, Object.values((await sql<object>(query))[0] ?? {})[0] as string] as const,
              ),
            ),
          )
        const before = await lasting()
        const { status, text } = await send(
          row,
          target,
          row.body?.(target.ids, fixtures, fixtures.tenants[0]) as object | undefined,
        )
        const found = await lasting()
        await renew()
        assert.ok(status < 500, text)
        assert.deepEqual(found, before)
      })
    }
  })
})
