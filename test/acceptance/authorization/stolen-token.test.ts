import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { fund, startTestService, type Answer, type TestService } from '#test'
import { POWERS } from './access-token.ts'
import { matrix } from './matrix.ts'
import type { Row } from './row.ts'
import { resetLimits } from './snapshot.ts'
import type { Prepare, Target } from './targets.ts'
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
    // For vouchers and transfers; the money of the fixtures is test credit.
    await fund(service, fixtures.tenants[0], 500)
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

  /** The objects of the rows of a suite, made with a fresh proof before its tests begin. */
  const targets = new Map<Row, Target>()
  /** Of what is refused, all rows about one kind of object share one. */
  async function prepareRefused(rows: readonly Row[]): Promise<void> {
    const made = new Map<Prepare, Target>()
    for (const row of rows) {
      const prepare = POWERS[row.operation]?.target ?? row.target
      if (!prepare) continue
      const target = made.get(prepare) ?? (await prepare(fixtures, fixtures.tenants[0]))
      made.set(prepare, target)
      targets.set(row, target)
    }
  }
  const targetOf = (row: Row): Target => targets.get(row) ?? { ids: [] }

  function withOldToken(row: Row): Promise<Refusal> {
    const target = targetOf(row)
    const body = POWERS[row.operation]?.body?.(target.ids) ?? bodyOf(row)
    return send(row, target, body as object | undefined)
  }
  const bodyOf = (row: Row): unknown => row.body?.(targetOf(row).ids, fixtures, fixtures.tenants[0])

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
    const refused = rows.filter(needsProof)
    before(async () => {
      await prepareRefused(refused)
      await age()
    })
    after(renew)
    for (const row of refused) {
      test(`${row.operation}, ${row.target?.name ?? 'own'}`, async () => {
        const { status, body, text } = await withOldToken(row)
        assert.deepEqual([status, body?.code], [403, 'STEP_UP_REQUIRED'], text)
      })
    }
  })

  suite('makes nothing that lasts by what is let through', () => {
    const letThrough = rows.filter(row => !needsProof(row) && !row.operation.includes('sandbox'))
    const queries = Object.entries(LASTING).map(([name, query]) => `(${query}) as "${name}"`)
    const lasting = async () => (await sql<Record<string, unknown>>(`select ${queries.join()}`))[0]
    /** After the row before, so that each row is blamed for what it made itself. */
    let known: Record<string, unknown> | undefined
    before(async () => {
      for (const row of letThrough)
        targets.set(row, (await row.target?.(fixtures, fixtures.tenants[0])) ?? { ids: [] })
      await age()
      known = await lasting()
    })
    for (const row of letThrough) {
      test(`${row.operation}, ${row.target?.name ?? 'own'}`, async () => {
        const { status, text } = await send(row, targetOf(row), bodyOf(row) as object | undefined)
        const [before, found] = [known, await lasting()]
        known = found
        assert.ok(status < 500, text)
        assert.deepEqual(found, before)
      })
    }
    test('and the tokens were good and without a proof to the end', async () => {
      for (const token of [fixtures.tenants[0].token, fixtures.admin])
        assert.equal((await service.http('GET', '/users/me', { token })).status, 200)
      assert.deepEqual(await sql('select from identity_session where proved_at is not null'), [])
    })
  })
})
