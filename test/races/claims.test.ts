import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  as,
  deliveredDeal,
  openMarket,
  registerHuman,
  sharedService,
  type Answer,
  type ListedAgent,
  type Market,
  type TestService,
} from '#test'

const ROUNDS = 4
const DEALS = 12

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

/** How many deadlocks the server counted in this database. A connection reports its own with a statement a second later. */
async function deadlocks(): Promise<number> {
  const { pool } = service.services.db
  await sleep(1100)
  await Promise.all(Array.from({ length: 2 * pool.options.max }, () => pool.query('select pg_sleep(0.1)')))
  const { rows } = await pool.query<{ deadlocks: bigint }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.deadlocks)
}

const post = (path: string, token: string): Promise<Answer> => service.http('POST', path, { token })

test('claims, revocations and new keys beside settlements of the same agent cause no deadlock', async () => {
  const answers: Answer[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [creator, owner] = [await registerHuman(service), await registerHuman(service)]
    const { body: announced } = await service.http<{ agent_id: string; api_key: string; claim_url: string }>(
      'POST',
      '/agents/announce',
      {
        token: creator.token,
        body: { name: 'Busy' },
      },
    )
    const id = announced.agent_id
    await post(`/agents/${id}/publish`, creator.token)
    const agent: ListedAgent = { id, slug: '', walletId: '', apiKey: announced.api_key, owner: creator }
    const own = { ...market, agent }
    const deals = await Promise.all(Array.from({ length: DEALS }, () => deliveredDeal(own)))
    answers.push(
      ...(await Promise.all([
        ...deals.map(({ escrowId }) => as(own, 'buyer', '/payments/ap2/release', { escrowId })),
        post(`/agents/claim/${announced.claim_url.split('/').at(-1)}`, owner.token),
        post(`/agents/${id}/revoke-key`, creator.token).then(async first => {
          const [byCreator, byOwner] = await Promise.all([
            post(`/agents/${id}/keys`, creator.token),
            post(`/agents/${id}/keys`, owner.token),
          ])
          answers.push(byCreator, byOwner)
          return first
        }),
      ])),
    )
  }
  const failures = answers.filter(({ status }) => status >= 500).map(({ text }) => text)
  assert.deepEqual({ deadlocks: await deadlocks(), failures }, { deadlocks: 0, failures: [] })
})
