import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import {
  as, deliveredDeal, openMarket, registerHuman, startTestService, type Answer, type ListedAgent, type Market, type TestService,
} from '#test'

const ROUNDS = 4
const DEALS = 12

let service: TestService
let market: Market
before(async () => {
  service = await startTestService()
  market = await openMarket(service)
})
after(() => service.close())

/** How many deadlocks the server counted in this database; connections report theirs when they end. */
async function deadlocks(): Promise<number> {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  await client.query(`select pg_terminate_backend(pid, 5000) ${others} and state = 'idle'`)
  const { rows } = await client.query<{ deadlocks: string }>('select deadlocks from pg_stat_database where datname = current_database()')
  await client.end()
  return Number(rows[0]?.deadlocks)
}

const post = (path: string, token: string): Promise<Answer> => service.http('POST', path, { token })

test('claims, revocations and new keys beside settlements of the same agent cause no deadlock', async () => {
  const answers: Answer[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [creator, owner] = [await registerHuman(service), await registerHuman(service)]
    const { body: announced } = await service.http<{ agent_id: string; api_key: string; claim_url: string }>('POST', '/agents/announce', {
      token: creator.token, body: { name: 'Busy' },
    })
    const id = announced.agent_id
    await post(`/agents/${id}/publish`, creator.token)
    const agent: ListedAgent = { id, slug: '', walletId: '', apiKey: announced.api_key, owner: creator }
    const own = { ...market, agent }
    const deals = await Promise.all(Array.from({ length: DEALS }, () => deliveredDeal(own)))
    answers.push(...await Promise.all([
      ...deals.map(({ escrowId }) => as(own, 'buyer', '/payments/ap2/release', { escrowId })),
      post(`/agents/claim/${announced.claim_url.split('/').at(-1)}`, owner.token),
      post(`/agents/${id}/revoke-key`, creator.token).then(async first => {
        const [byCreator, byOwner] = await Promise.all([post(`/agents/${id}/keys`, creator.token), post(`/agents/${id}/keys`, owner.token)])
        answers.push(byCreator, byOwner)
        return first
      }),
    ]))
  }
  assert.deepEqual(answers.filter(({ status }) => status >= 500).map(({ text }) => text), [])
  assert.equal(await deadlocks(), 0)
})
