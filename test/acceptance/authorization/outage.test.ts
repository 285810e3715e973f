import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  everyOperation,
  openLine,
  startTestService,
  type Line,
  type Answer,
  type Instance,
  type TestService,
} from '#test'
import { newId } from '../../../server/platform/kernel/id.ts'
import { signatureHeader } from '../../../server/modules/payments/processors/signature.ts'
import { tokensOf } from '../../../server/modules/identity/credentials/token.ts'
import { webhookSecrets } from '../../../server/modules/payments/processor.ts'
import { CALLERS } from './callers.ts'
import { matrix } from './matrix.ts'
import type { Row } from './row.ts'
import type { Target } from './targets.ts'
import { openFixtures, type Fixtures } from './fixtures.ts'

const INTERNAL_SECRET = 'a secret of the front end '.repeat(2)
const MEBIBYTE = 1024 * 1024
/** More than any limit of an operation lets through in its window. */
const MOST_CALLS = 40
const RECOVERY_MS = 20_000

type Refusal = Answer<
  { statusCode: number; message: string; error: string; code: string; hint?: string } | undefined
>
interface Operation {
  requestBody?: unknown
  responses: Record<string, unknown>
}

/** Asks the database only where a provider is configured: identity/oidc.test.ts. */
const SHIELDED = new Set(['GET /auth/identity-provider/login'])

/** One row of each operation; what is not called in the matrix is not called here. */
const rows = [...new Map(matrix.filter(row => !row.unasked).map(row => [row.operation, row])).values()]

/**
 * What affects every operation alike: a body that is too large, too many calls, a database that is away or damaged. The
 * mechanisms are the same for all operations, so one of each method and credential is called.
 */
suite('in bad times', () => {
  let fixtures: Fixtures
  let service: TestService
  let documented: Map<string, Operation>
  let secret: string
  let mfaToken: string
  /** One operation of each method and credential among those that need the database. */
  let sample: Row[]
  /** Operations that answer without the database. */
  let independent: Row[]
  const targets = new Map<string, Target>()

  before(async () => {
    service = await startTestService({ ENABLE_AGENT_SIGNUP: 'true', INTERNAL_SECRET, LOG_LEVEL: 'silent' })
    fixtures = await openFixtures(service)
    documented = await everyOperation<Operation>()
    ;[secret = ''] = await webhookSecrets(service.services)
    mfaToken = (await tokensOf(service.services)).sign('mfa', { sub: fixtures.tenants[0].id }, 900)
    const [needing, others] = [rows.filter(asksDatabase), rows.filter(row => !asksDatabase(row))]
    // The matrix deletes no account: its phrase is refused before the database is asked.
    const asking = needing.filter(({ operation }) => operation !== 'DELETE /users/me')
    sample = firstOfEach(asking, ({ operation, word }) => `${operation.split(' ')[0]} ${word}`)
    independent = others.filter(({ operation }) => operation !== 'GET /readyz')
    // Created while the database is available.
    for (const row of [...sample, ...independent])
      targets.set(row.operation, (await row.target?.(fixtures, fixtures.tenants[0])) ?? { ids: [] })
  })
  after(() => service.close())

  interface Sending {
    at?: Instance
    raw?: string
    key?: string
    target?: Target
  }

  /** One call of the row's operation by whoever may do it; `raw` in place of its body. */
  async function send(
    row: Row,
    { at = service, raw, key, target = targets.get(row.operation) ?? { ids: [] } }: Sending = {},
  ): Promise<Refusal> {
    const [method = '', template = ''] = row.operation.split(' ')
    const ids = [...target.ids]
    const path = template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(ids.shift() ?? ''))
    const body =
      raw ??
      (row.operation === 'POST /auth/login/mfa'
        ? JSON.stringify({ mfaToken, totpCode: '123456' })
        : row.body && JSON.stringify(row.body(target.ids, fixtures, fixtures.tenants[0])))
    return at.http(method, row.query ? `${path}?${row.query}` : path, {
      body,
      headers: {
        'content-type': 'application/json',
        ...(await credentialOf(row, target, body)),
        ...(key ? { 'idempotency-key': key } : {}),
      },
    })
  }

  async function credentialOf(row: Row, target: Target, body = ''): Promise<Record<string, string>> {
    const tenants = { own: fixtures.tenants[0], other: fixtures.tenants[1] }
    if (row.word === 'secret') return { 'x-internal-secret': INTERNAL_SECRET }
    if (row.word === 'signature')
      return { 'payment-processor-signature': signatureHeader(body, secret, new Date()) }
    if (row.word === 'agent-key')
      return { 'x-agent-api-key': CALLERS['owner by key'].credential(fixtures, tenants, target) }
    if (row.word === 'routing') return { authorization: `Bearer ${tenants.own.routingKey}` }
    return row.word === 'none'
      ? {}
      : { authorization: `Bearer ${row.word === 'admin' ? fixtures.admin : tenants.own.token}` }
  }

  const documents = (row: Row, status: number): boolean =>
    String(status) in (documented.get(row.operation)?.responses ?? {})
  const asksDatabase = (row: Row): boolean => documents(row, 500) && !SHIELDED.has(row.operation)

  const bare = ({ status, body }: Refusal, error: string): void => {
    assert.deepEqual([body?.statusCode, body?.error], [status, error])
  }

  test('a body of more than 1 MiB is a 413', async () => {
    const raw = JSON.stringify({ text: 'x'.repeat(MEBIBYTE) })
    const withBody = sample.filter(row => documented.get(row.operation)?.requestBody)
    assert.ok(withBody.length > 3)
    for (const row of withBody) {
      const answer = await send(row, { raw })
      assert.equal(answer.status, 413, `${row.operation}: ${answer.text}`)
      bare(answer, 'Payload Too Large')
    }
  })

  test('an id that is longer than any is a 400', async () => {
    const others: string[] = []
    for (const row of rows.filter(row => row.operation.includes('{') && documents(row, 400))) {
      const target = { ...targets.get(row.operation), ids: ['x', 'x', 'x'].map(char => char.repeat(400)) }
      const { status } = await send(row, { target })
      if (status !== 400) others.push(`${row.operation}: ${status}`)
    }
    assert.deepEqual(others, [])
  })

  test('a request whose Idempotency-Key is under way is a 409, another request with a used one a 422', async () => {
    // Those of the gateway are in server/modules/gateway/calls/idempotency.test.ts.
    const idempotent = matrix.filter(
      row => row.word !== 'routing' && documents(row, 422) && (row.expect.own < 300 || row.word === 'admin'),
    )
    for (const { operation } of firstOfEach(idempotent, ({ word }) => word)) {
      const row = idempotent
        .filter(each => each.operation === operation)
        .sort((a, b) => Number(Boolean(b.target)) - Number(Boolean(a.target)))[0]
      assert.ok(row, operation)
      const [one, two] = [await prepared(row), await prepared(row)]
      const key = newId()
      const running = await whileRunning(row, key, () => send(row, { target: one, key }))
      assert.deepEqual(
        [running.status, running.body?.code],
        [409, 'IDEMPOTENCY_RUNNING'],
        `${operation}: ${running.text}`,
      )
      const first = await send(row, { target: one, key })
      assert.ok(first.status < 300, `${operation}: ${first.text}`)
      const body = row.body?.(two.ids, fixtures, fixtures.tenants[0]) as { amount?: number } | undefined
      const other = await send(row, {
        target: two,
        key,
        raw: JSON.stringify({ ...body, ...(body?.amount ? { amount: body.amount + 1 } : {}) }),
      })
      assert.equal(other.status, 422, `${operation}: ${other.text}`)
    }
  })

  const prepared = async (row: Row): Promise<Target> =>
    (await row.target?.(fixtures, fixtures.tenants[0])) ?? { ids: [] }

  /** Holds the key as the first request with it does. */
  async function whileRunning(row: Row, key: string, work: () => Promise<Refusal>): Promise<Refusal> {
    const [method = '', template = ''] = row.operation.split(' ')
    const token = row.word === 'admin' ? fixtures.admin : fixtures.tenants[0].token
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      sub: string
    }
    const client = await service.services.db.pool.connect()
    const lock = [`${sub} ${method} ${template.replaceAll(/\{(\w+)\}/g, ':$1')} ${key}`]
    try {
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', lock)
      return await work()
    } finally {
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', lock)
      client.release()
    }
  }

  test('over a limit it is a 429 that says how long to wait', async () => {
    const strict = await service.instance({
      RATE_LIMIT_IP_PER_MIN: '1',
      RATE_LIMIT_USER_PER_MIN: '1',
      RATE_LIMIT_FAILED_PER_MIN: '1',
      RATE_LIMIT_SIGN_IN_PER_MIN: '1',
    })
    after(() => strict.close())
    const limited = sample.filter(row => documents(row, 429))
    assert.ok(limited.length > 3)
    for (const row of limited) {
      // Signed notifications are not limited, refused ones are.
      const sending = { at: strict, ...(row.word === 'signature' ? { raw: '{}' } : {}) }
      let answer = await send(row, sending)
      for (let calls = 1; answer.status !== 429 && calls <= MOST_CALLS; calls++)
        answer = await send(row, sending)
      assert.equal(answer.status, 429, `${row.operation}: ${answer.text}`)
      bare(answer, 'Too Many Requests')
      assert.ok(Number(answer.headers.get('Retry-After')) >= 1, row.operation)
    }
  })

  /** Calls the sample, which must answer with `status`, and the operations that do not need the database. */
  async function expectOfAll(status: number, at: Instance, look: (answer: Refusal) => void): Promise<void> {
    // A damaged database still accepts connections.
    assert.equal((await at.http('GET', '/readyz')).status, status === 503 ? 503 : 200)
    for (const row of sample) {
      const answer = await send(row, { at })
      assert.equal(answer.status, status, `${row.operation}: ${answer.text}`)
      look(answer)
    }
    for (const row of independent) {
      const answer = await send(row, { at })
      assert.notEqual(answer.status, status, `${row.operation}: ${answer.text}`)
    }
  }

  test('is a 500 with only the request id if the database is damaged', async () => {
    const { pool } = service.services.db
    await pool.query('alter schema public rename to damaged; alter schema jobs rename to damaged_jobs')
    try {
      await expectOfAll(500, service, answer => {
        bare(answer, 'Internal Server Error')
        assert.equal(answer.body?.message, 'Internal error')
        assert.equal(
          answer.body.hint,
          `Send this request id to the operator: ${answer.headers.get('x-request-id')}`,
        )
      })
    } finally {
      await pool.query('alter schema damaged rename to public; alter schema damaged_jobs rename to jobs')
    }
  })

  const failures: [string, (line: Line) => unknown, (line: Line) => unknown][] = [
    ['away', line => line.cut(), line => line.mend()],
    ['silent', line => line.freeze(), line => line.unfreeze()],
  ]
  for (const [failure, begin, end] of failures)
    test(`while the database is ${failure} it is a 503 that says when to try again, and all is well afterwards`, async () => {
      const line = await openLine(service.databaseUrl)
      const instance = await service.instance({}, line.url)
      try {
        await begin(line)
        await expectOfAll(503, instance, answer => {
          bare(answer, 'Service Unavailable')
          assert.equal(answer.headers.get('Retry-After'), '1')
        })
        await end(line)
        for (
          const deadline = Date.now() + RECOVERY_MS;
          Date.now() < deadline && (await instance.http('GET', '/readyz')).status !== 200;
        )
          await sleep(50)
        for (const row of sample.filter(({ operation }) => operation.startsWith('GET'))) {
          assert.ok((await send(row, { at: instance })).status < 500, row.operation)
        }
      } finally {
        await instance.close()
        await line.close()
      }
    })
})

/** The first item of each group that `keyOf` makes. */
const firstOfEach = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] => [
  ...new Map(items.toReversed().map(item => [keyOf(item), item])).values(),
]
