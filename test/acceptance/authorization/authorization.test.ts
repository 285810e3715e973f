import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { everyOperation, fund, mailsSettled, startTestService, type Answer, type TestService } from '#test'
import { newId } from '../../../server/platform/kernel/id.ts'
import { CALLERS, callersOf, expected, takesAsDocumented, type Caller, type CallerName } from './callers.ts'
import { matrix } from './matrix.ts'
import { PROBES, type Row } from './row.ts'
import { resetLimits, snapshotOf } from './snapshot.ts'
import type { Prepare, Target } from './targets.ts'
import { openFixtures, type Fixtures } from './fixtures.ts'

/** Whoever may do it: the owner, or an admin. */
const rightful = ({ word }: Row): CallerName => {
  if (word === 'agent-key') return 'owner by key'
  if (word === 'routing') return 'owner by routing key'
  return word === 'admin' ? 'admin' : 'owner'
}

const titleOf = ({ operation, word, expect: { own, admin } }: Row): string =>
  `${operation} takes ${word}, ${word === 'admin' ? `${admin} for it` : `${own} for the owner`}`

/** Those of the other tenant. */
const OTHER_TENANT = ['other human', 'other human by key', 'other agent'] as const
const isOfOtherTenant = (name: CallerName): boolean => OTHER_TENANT.some(other => other === name)

/** Its body is the content of a file, whatever it says. */
const TAKES_FILES = new Set(['POST /vault'])

interface Operation {
  requestBody?: { content: Record<string, unknown> }
  security: Record<string, unknown>[]
}

/** Who may call what, for every operation: generated from matrix.ts. */
suite('authorization', () => {
  let fixtures: Fixtures
  let service: TestService
  let documented: Map<string, Operation>
  before(async () => {
    service = await startTestService({ ENABLE_AGENT_SIGNUP: 'true' })
    fixtures = await openFixtures(service)
    // For vouchers and transfers; the money of the fixtures is test credit.
    for (const tenant of fixtures.tenants) await fund(service, tenant, 500)
    documented = await everyOperation<Operation>()
  })
  after(() => service.close())

  interface Attempt {
    target?: Target
    own?: 0 | 1
    more?: Record<string, unknown>
  }
  type Refusal = Answer<{ message?: string | string[] } | undefined>

  const prepare = async (row: Row): Promise<Target> =>
    row.target?.(fixtures, fixtures.tenants[0]) ?? { ids: [] }

  /** One call of the row's operation about `target`, an object of tenant `own`. */
  async function send(
    row: Row,
    name: CallerName,
    { target = { ids: [] }, own = 0, more }: Attempt,
  ): Promise<Refusal> {
    const caller: Caller = CALLERS[name]
    const tenants = { own: fixtures.tenants[own], other: fixtures.tenants[own === 0 ? 1 : 0] }
    const credential = caller.credential(fixtures, tenants, target)
    const [method = '', template = ''] = row.operation.split(' ')
    const ids = [...target.ids]
    const path = template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(ids.shift() ?? ''))
    const body = row.body?.(target.ids, fixtures, tenants.own)
    const call = (): Promise<Refusal> =>
      service.http(method, row.query ? `${path}?${row.query}` : path, {
        ...(body === undefined ? {} : { body: { ...body, ...more } }),
        ...(caller.kind === 'sa' ? { headers: { 'x-agent-api-key': credential } } : { token: credential }),
      })
    const answer = await call()
    if (answer.status !== 429) return answer
    await resetLimits(service)
    return call()
  }

  const fieldsOf = ({ body }: Refusal) => (body ?? {}) as Record<string, unknown>
  const verdict = ({ status, body }: Refusal): string =>
    status === 400 && String(body?.message).startsWith('Invalid auth type')
      ? '400 Invalid auth type'
      : String(status)
  const asked = matrix.filter(row => !row.unasked)
  const callers = callersOf(asked)

  test('every operation has a row and every row an operation', () => {
    const rows = new Set(matrix.map(({ operation }) => operation))
    assert.deepEqual(
      [...documented.keys()].filter(operation => !rows.has(operation)),
      [],
      'operations without a row',
    )
    assert.deepEqual(
      [...rows].filter(operation => !documented.has(operation)),
      [],
      'rows without an operation',
    )
    const words = new Set(matrix.map(({ operation, word }) => `${operation} ${word}`))
    assert.equal(words.size, rows.size, 'an operation has one access policy')
  })

  test('the document says of public operations, and of no others, that they need no credential', () => {
    for (const { operation, word } of matrix) {
      const { security = [] } = documented.get(operation) ?? {}
      assert.equal(
        security.some(scheme => Object.keys(scheme).length === 0),
        word === 'none',
        operation,
      )
    }
  })

  test('the document, made of the policies that the hook proves, names the credentials of each word', () => {
    for (const row of matrix)
      assert.ok(takesAsDocumented(row, documented.get(row.operation)?.security ?? []), row.operation)
  })

  test('a token of this suite is valid until it expires', async () => {
    assert.equal((await service.http('GET', '/users/me', { token: fixtures.minted })).status, 200)
  })

  /** Rows about an object that others must not see. */
  const separate = asked.filter(({ target, expect }) => target && expect.others >= 400)
  /** One object of each tenant for all rows about such an object: no call about it is let through, unless it only reads. */
  const targets = new Map<Prepare, readonly [Target, Target]>()
  async function untouched({ target }: Row): Promise<readonly Target[]> {
    if (!target) return []
    const [one, two] = fixtures.tenants
    const made = targets.get(target) ?? [await target(fixtures, one), await target(fixtures, two)]
    targets.set(target, made)
    return made
  }

  suite('between two tenants, either way, nothing is seen or changed', () => {
    let stored: Record<string, string>
    before(async () => {
      for (const row of separate) await untouched(row)
      // What falls due in the minutes that the tests take changes rows too.
      await service.services.timers.stop()
      // What the making of them sends goes out later.
      await mailsSettled(service)
      stored = await snapshotOf(service)
    })
    after(() => service.services.timers.start())
    for (const row of separate) {
      test(titleOf(row), async () => {
        for (const own of [0, 1] as const) {
          for (const name of OTHER_TENANT) {
            const answer = await send(row, name, { target: (await untouched(row))[own], own })
            assert.equal(verdict(answer), expected(row, CALLERS[name]), name)
          }
        }
      })
    }
    test('no table holds anything else than before', async () => {
      assert.deepEqual(await snapshotOf(service), stored)
    })
  })

  suite('by credential and owner', () => {
    for (const row of asked) {
      test(titleOf(row), async () => {
        const [shared = { ids: [] }] = await untouched(row)
        // The others have called the others above.
        const names = (callers.get(row) ?? []).filter(
          name => !separate.includes(row) || !isOfOtherTenant(name),
        )
        const wanted = Object.fromEntries(names.map(name => [name, expected(row, CALLERS[name])]))
        const answer = async (name: CallerName, target: Target) =>
          [name, verdict(await send(row, name, { target }))] as const
        const refused = names.filter(name => Number.parseInt(wanted[name] ?? '') >= 400)
        const answered = await Promise.all(refused.map(name => answer(name, shared)))
        // What is let through may change the object, unless it only reads: it gets one of its own.
        const isReading = row.operation.startsWith('GET ')
        for (const name of names.filter(name => !refused.includes(name)))
          answered.push(await answer(name, isReading ? shared : await prepare(row)))
        assert.deepEqual(Object.fromEntries(answered), wanted)
      })
    }
  })

  suite('of an unknown id', () => {
    for (const row of asked.filter(({ expect }) => expect.unknown)) {
      test(titleOf(row), async () => {
        const [{ ids, ...rest } = { ids: [] }] = await untouched(row)
        for (const id of [newId(), 'nonsense']) {
          const { status, text } = await send(row, rightful(row), {
            target: { ...rest, ids: [id, ...ids.slice(1)] },
          })
          assert.equal(status, row.expect.unknown, `${id}: ${text}`)
        }
      })
    }
  })

  suite('read-only fields', () => {
    for (const row of asked.filter(({ body, operation }) => body && !TAKES_FILES.has(operation))) {
      test(titleOf(row), async () => {
        assert.ok(documented.get(row.operation)?.requestBody, 'the operation takes no body')
        const target = await prepare(row)
        const probes = Object.entries(PROBES).filter(([field]) => !row.settable?.includes(field))
        const probe = async (more: Record<string, unknown>) => {
          const answer = await send(row, rightful(row), { target, more })
          for (const field of Object.keys(more))
            assert.notEqual(fieldsOf(answer)[field], more[field], `${field} took effect`)
          return { ...answer, ignored: answer.headers.get('x-svc-ignored-fields')?.split(', ') ?? [] }
        }
        // What is not ignored beside the others is sent alone: an error names the first field that is wrong.
        const together = await probe(Object.fromEntries(probes))
        for (const [field, value] of probes.filter(([field]) => !together.ignored.includes(field))) {
          const { status, text, ignored } = await probe({ [field]: value })
          // Without the secret of the route the body is not even read.
          const unread = row.word === 'secret' && status === 401
          const named = [400, 403].includes(status) && text.includes(field)
          assert.ok(ignored.includes(field) || unread || named, `${field}: ${status} ${text}`)
        }
      })
    }
  })

  test('no operation with a body is left out of the probes', () => {
    const probed = new Set(asked.filter(({ body }) => body).map(({ operation }) => operation))
    const withBody = [...documented]
      .filter(([, { requestBody }]) => requestBody?.content['application/json'])
      .map(([operation]) => operation)
    assert.deepEqual(
      withBody.filter(operation => !probed.has(operation)),
      [],
    )
  })
})
