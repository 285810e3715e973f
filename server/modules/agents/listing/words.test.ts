import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  MarketTrial,
  publishAgent,
  sharedService,
  type ListedAgent,
  type NeedBody,
  type TestService,
} from '#test'

let service: TestService
let trial: MarketTrial
let agent: ListedAgent
before(async () => {
  service = await sharedService()
  trial = await MarketTrial.open(service)
  agent = await publishAgent(service, trial.market.outsider, {
    name: ' Lawyer ',
    categories: [' Law ', 'Law'],
    tags: ['Mu\u0308ller '],
    capabilities: ['\u00A0contract review'],
    role: 'seller ',
    conduit: ' mcp',
  })
})
after(() => service.close())

const HIDDEN = ['\u200B', 'law\u202E', 'a\nb']

test('words of a listing are stored without spaces around them, and once', async () => {
  const { body } = await service.http<Record<string, unknown>>('GET', `/agents/${agent.id}`)
  const { name, categories, tags, capabilities, role, conduit } = body
  assert.deepEqual(
    [name, categories, tags, capabilities, role, conduit],
    ['Lawyer', ['Law'], ['M\u00FCller'], ['contract review'], 'seller', 'mcp'],
  )
})

for (const query of [
  'category=law',
  'category=%20LAW%20',
  'tag=mu%CC%88ller',
  'tag=m%C3%BCller',
  'capabilities=contract%20review%20,',
  'filterRole=seller',
  'conduit=mcp',
])
  test(`finds them by ${query}`, async () => {
    const { body } = await service.http<{ agents: { id: string }[] }>('GET', `/agents?${query}`)
    assert.deepEqual(
      body.agents.map(({ id }) => id),
      [agent.id],
    )
  })

for (const field of ['categories', 'tags', 'capabilities', 'fulfillmentTypes', 'role', 'conduit'])
  test(`${field} with characters that hide or turn text are 400`, async () => {
    const isList = field !== 'role' && field !== 'conduit'
    for (const word of HIDDEN) {
      const { status, text } = await service.http('PATCH', `/agents/${agent.id}`, {
        token: trial.market.outsider.token,
        body: { [field]: isList ? ['law', word] : word },
      })
      assert.equal(status, 400)
      assert.match(text, /characters that hide or turn text/)
    }
  })

test('the title and the category of a need show, and have no spaces around them', async () => {
  for (const word of HIDDEN)
    for (const more of [{ title: word }, { category: word }])
      assert.equal((await trial.publish(more)).status, 400)
  const need = await trial.newNeed({ title: ' A lawyer ', category: 'Law ' })
  const { body } = await service.http<{ items: (NeedBody & { category: string })[] }>(
    'GET',
    '/market/needs?category=law',
  )
  assert.deepEqual(
    body.items.map(({ id, title, category }) => [id, title, category]),
    [[need.id, 'A lawyer', 'Law']],
  )
})
