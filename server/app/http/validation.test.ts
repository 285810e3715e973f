import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { PATTERN_WORDS } from '#platform/http/pattern-words'
import {
  publishAgent,
  readDocument,
  registerHuman,
  sharedService,
  type Person,
  type TestService,
} from '#test'

/** Commands receive whole bodies: unknown fields must not reach them. */
suite('unknown body fields', () => {
  let service: TestService
  let person: Person
  before(async () => {
    service = await sharedService()
    person = await registerHuman(service)
  })
  after(() => service.close())

  test('an announced agent cannot say that a person claimed it', async () => {
    const body = { name: 'Announced', claimed: true, status: 'ACTIVE' }
    const { body: made, headers } = await service.http<{ agent_id: string }>('POST', '/agents/announce', {
      token: person.token,
      body,
    })
    assert.equal(headers.get('x-svc-ignored-fields'), 'claimed, status')
    const { rows } = await service.services.db.pool.query<{ claimed_by_id: string; status: string }>(
      'select claimed_by_id, status from agents_agent where id = $1',
      [made.agent_id],
    )
    assert.deepEqual(rows, [{ claimed_by_id: null, status: 'DRAFT' }])
  })

  test('asking for a review cannot ask for another state', async () => {
    const agent = await publishAgent(service, person)
    for (const status of ['ARCHIVED', 'NONSENSE']) {
      const answer = await service.http<{ status: string }>('POST', `/agents/${agent.id}/submit`, {
        token: person.token,
        body: { status },
      })
      assert.ok([201, 409].includes(answer.status), answer.text)
      const now = await service.http<{ status: string }>('GET', `/agents/${agent.id}`, {
        token: person.token,
      })
      assert.ok(['ACTIVE', 'PENDING_REVIEW'].includes(now.body.status), now.body.status)
    }
  })
})

/** A message names what is wrong in the terms of JSON, not of the validator. */
suite('messages about lists', () => {
  let service: TestService
  let person: Person
  before(async () => {
    service = await sharedService()
    person = await registerHuman(service)
  })
  after(() => service.close())

  const messagesOf = async (method: string, path: string, body: object) =>
    (await service.http<{ message: string[] }>(method, path, { token: person.token, body })).body.message

  test('an empty list must not be empty', async () => {
    const messages = await messagesOf('POST', '/api/v1/keys', { name: 'Key', scopes: [] })
    assert.deepEqual(messages, ['scopes must not be empty'])
  })

  test('a wrong entry of a list that may be null instead has one message', async () => {
    const { id } = await publishAgent(service, person)
    const body = { url: 'https://example.com/hook', events: ['deal.paid'] }
    const messages = await messagesOf('PUT', `/agents/${id}/webhook`, body)
    assert.equal(messages.length, 1)
    assert.match(messages[0] ?? '', /^events\.0 must be one of "negotiation\.created"/)
  })
})

suite('messages about patterns', () => {
  test('say in words what the value must be', async () => {
    const service = await sharedService()
    const { token } = await registerHuman(service)
    const messagesOf = async (path: string, body: object) =>
      (await service.http<{ message: string[] }>('POST', path, { token, body })).body.message
    assert.deepEqual(await messagesOf('/payouts/user/setup', { country: 'Germany' }), [
      'country must be two capital letters, such as DE',
    ])
    assert.deepEqual(await messagesOf('/agents', { name: 'A', slug: 'Ünknown slug' }), [
      'slug must be lower-case letters and digits, with single hyphens or underscores between them',
    ])
    await service.close()
  })

  test('exist for every pattern of a request', () => {
    const { paths } = readDocument<{ paths: Record<string, Record<string, Operation>> }>()
    const patterns = new Set(
      Object.values(paths)
        .flatMap(item => Object.values(item))
        .flatMap(({ parameters, requestBody }) => patternsIn([parameters, requestBody])),
    )
    assert.ok(patterns.size > 10)
    assert.deepEqual([...patterns].toSorted(), Object.keys(PATTERN_WORDS).toSorted())
  })
})

interface Operation {
  parameters?: unknown
  requestBody?: unknown
}

function patternsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'pattern' in schema && typeof schema.pattern === 'string' ? [schema.pattern] : []
  return [...own, ...Object.values(schema).flatMap(patternsIn)]
}
