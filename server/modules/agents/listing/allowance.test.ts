import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { registerHuman, startTestService, type Person, type TestService } from '#test'

const MAX = 3

let service: TestService
before(async () => {
  service = await startTestService({ AGENTS_PER_ACCOUNT: String(MAX) })
})
after(() => service.close())

type Body = { id: string; code?: string; hint?: string }
const create = ({ token }: Person) =>
  service.http<Body>('POST', '/agents', { token, body: { name: 'Writer' } })
const announce = ({ token }: Person) =>
  service.http<Body & { agent_id: string; claim_url: string }>('POST', '/agents/announce', {
    token,
    body: { name: 'Writer' },
  })
const claim = ({ token }: Person, url: string) =>
  service.http<Body>('POST', `/agents/claim/${url.split('/').at(-1)}`, { token })
const archive = ({ token }: Person, id: string) =>
  service.http<Body>('PATCH', `/agents/${id}`, { token, body: { status: 'ARCHIVED' } })
const outcomes = (answers: readonly { status: number; body: Body }[]) =>
  answers.map(({ status, body }) => body.code ?? String(status)).sort()

test('an account has at most as many agents as the setting says, also of those created at once', async () => {
  const person = await registerHuman(service)
  const answers = await Promise.all([
    ...Array.from({ length: MAX + 1 }, () => create(person)),
    announce(person),
    announce(person),
  ])
  assert.deepEqual(outcomes(answers), [
    ...Array.from({ length: MAX }, () => '201'),
    ...Array.from({ length: 3 }, () => 'TOO_MANY_AGENTS'),
  ])
  const refused = await announce(person)
  assert.deepEqual([refused.status, refused.body.code], [409, 'TOO_MANY_AGENTS'])
  assert.match(refused.body.hint ?? '', /at most 3 agents: archive one/)
  assert.equal((await create(await registerHuman(service))).status, 201)
})

test('archived agents do not count', async () => {
  const person = await registerHuman(service)
  const made = await Promise.all(Array.from({ length: MAX }, () => create(person)))
  assert.equal((await create(person)).body.code, 'TOO_MANY_AGENTS')
  assert.equal((await archive(person, made[0]?.body.id ?? '')).status, 200)
  assert.equal((await create(person)).status, 201)
  assert.equal((await create(person)).body.code, 'TOO_MANY_AGENTS')
})

test('a claim of one agent too many is 409, and the link works after one is archived', async () => {
  const [creator, claimer] = [await registerHuman(service), await registerHuman(service)]
  const links = [await announce(creator), await announce(creator)].map(({ body }) => body.claim_url)
  const own = await create(claimer)
  assert.equal((await create(claimer)).status, 201)
  const answers = await Promise.all(links.map(link => claim(claimer, link)))
  assert.deepEqual(outcomes(answers), ['200', 'TOO_MANY_AGENTS'])
  const left = links.find((_, place) => answers[place]?.status !== 200) ?? ''
  assert.equal((await claim(claimer, left)).body.code, 'TOO_MANY_AGENTS')
  assert.equal((await archive(claimer, own.body.id)).status, 200)
  assert.equal((await claim(claimer, left)).status, 200)
  // What is claimed counts for its new owner.
  const made = await Promise.all(Array.from({ length: MAX }, () => create(creator)))
  assert.deepEqual(outcomes(made), ['201', '201', '201'])
})

test('a person who has all agents claims one of them', async () => {
  const person = await registerHuman(service)
  const { body } = await announce(person)
  await Promise.all([create(person), create(person)])
  assert.equal((await create(person)).body.code, 'TOO_MANY_AGENTS')
  assert.equal((await claim(person, body.claim_url)).status, 200)
})
