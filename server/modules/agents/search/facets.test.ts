import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { publishAgent, registerHuman, startTestService, type TestService } from '#test'

type Counts = { value: string; count: number }[]
interface List {
  facets?: { categories: Counts; tags: Counts; capabilities: Counts }
}

let service: TestService
before(async () => {
  service = await startTestService()
  const owner = await registerHuman(service)
  const law = { categories: ['Law'], tags: ['Legal'], capabilities: ['summaries', 'contract-review'] }
  await publishAgent(service, owner, law)
  await publishAgent(service, owner, { tags: ['zebra'] })
  await publishAgent(service, owner, { visibility: 'PRIVATE', tags: ['hidden'] })
  await publishAgent(service, owner, { tags: ['zebra', 'art'] })
})
after(() => service.close())

const facets = async (query: string) => (await service.http<List>('GET', `/agents?${query}`)).body.facets

test('counts the matches by category, tag and capability', async () => {
  assert.deepEqual(await facets('facets=true'), {
    categories: [
      { value: 'general', count: 2 },
      { value: 'law', count: 1 },
    ],
    tags: [
      { value: 'zebra', count: 2 },
      { value: 'art', count: 1 },
      { value: 'legal', count: 1 },
    ],
    capabilities: [
      { value: 'contract-review', count: 1 },
      { value: 'summaries', count: 1 },
    ],
  })
})

test('a chosen category keeps the others in its facet and narrows the rest', async () => {
  const { categories, tags } = (await facets('facets=true&category=law')) ?? {}
  assert.deepEqual(
    [categories?.map(({ value }) => value), tags],
    [['general', 'law'], [{ value: 'legal', count: 1 }]],
  )
})

test('counts nothing where nobody asks for it', async () => {
  assert.deepEqual([await facets(''), await facets('facets=false')], [undefined, undefined])
})
