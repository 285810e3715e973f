import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { sql } from '#platform/kernel/sql'
import { registerHuman, sharedService, type Person, type TestService } from '#test'

interface AgentJson {
  id: string
  slug: string
  message: string | string[]
  suggestions: string[]
}

let service: TestService
let owner: Person
let other: Person

before(async () => {
  service = await sharedService()
  owner = await registerHuman(service)
  other = await registerHuman(service)
})
after(() => service.close())

const create = (body: object, token = owner.token) =>
  service.http<AgentJson>('POST', '/agents', { token, body })
const patch = (id: string, body: object, token = owner.token) =>
  service.http<AgentJson>('PATCH', `/agents/${id}`, { token, body })
const read = (path: string, token?: string) => service.http<AgentJson>('GET', path, { token })

test('gives two agents of one name different slugs, also in parallel', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Zwillinge übergroß!' })))
  assert.deepEqual(
    made.map(answer => answer.status),
    Array.from({ length: 8 }, () => 201),
  )
  assert.equal(new Set(made.map(answer => answer.body.slug)).size, 8)
  assert.ok(
    made.some(answer => answer.body.slug === 'zwillinge-ubergro'),
    'letters beyond ASCII are reduced',
  )
})

test('gives an agent with a short name a slug that a change accepts', async () => {
  const { body } = await create({ name: 'Q' })
  assert.equal(body.slug, 'agent-q')
  assert.equal((await patch(body.id, { slug: body.slug })).status, 200)
})

test('uses a given slug; a taken one is 409 with free slugs', async () => {
  const body = { name: 'Sluggish', slug: 'my-own_slug' }
  assert.equal((await create(body)).body.slug, 'my-own_slug')
  const again = await create(body)
  assert.equal(again.status, 409)
  assert.equal(again.body.message, 'Slug already exists')
  assert.equal(again.body.suggestions.length, 3)
  const first = again.body.suggestions[0] ?? ''
  assert.deepEqual((await service.http('GET', `/agents/slug/${first}/exists`)).body, { exists: false })
  assert.equal((await create({ ...body, slug: first })).status, 201)
  const another = await create({ name: 'Another' })
  assert.equal((await patch(another.body.id, { slug: 'my-own_slug' })).status, 409)
  assert.deepEqual((await service.http('GET', '/agents/slug/my-own_slug/exists')).body, { exists: true })
})

test('leaves slugs that begin with deleted- to agents of deleted accounts', async () => {
  const leaving = await registerHuman(service)
  const mine = await create({ name: 'Leaving' }, leaving.token)
  const slug = `deleted-${mine.body.id}`
  const squat = await create({ name: 'Squat', slug }, other.token)
  assert.equal(squat.status, 400)
  assert.match(String(squat.body.message), /must not start with deleted-/)
  const derived = await create({ name: slug }, other.token)
  assert.equal(derived.body.slug, `agent-${slug}`)
  for (const method of ['PUT', 'PATCH'])
    assert.equal(
      (await service.http(method, `/agents/${derived.body.id}`, { token: other.token, body: { slug } }))
        .status,
      400,
    )
  // One that was taken before they were refused.
  await service.services.db.run(sql`update agents_agent set slug = ${slug} where id = ${derived.body.id}`)
  assert.equal((await patch(derived.body.id, { slug, name: 'Same slug' }, other.token)).status, 200)
  assert.equal((await service.http('DELETE', '/users/me', { token: leaving.token, body: {} })).status, 204)
  assert.match((await read(`/agents/${mine.body.id}`)).body.slug, new RegExp(`^${slug}-[0-9a-f]{8}$`))
})
