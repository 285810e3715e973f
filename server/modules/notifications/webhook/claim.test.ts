import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import { publishAgent, registerHuman, sharedService, type Person, type TestService } from '#test'
import { planOf } from '../../../../test/support/database/plan.ts'
import { claimDeliveries, type Claim } from './sql.ts'

let service: TestService
let person: Person
before(async () => {
  service = await sharedService()
  person = await registerHuman(service)
})
after(() => service.close())

/** Later than all other deliveries: the service does not send these. */
const FIRST = Date.UTC(2090, 0, 1)
/** Before all others, so that only these are claimed. */
const LAST = new Date(FIRST + 60_000)

/** An agent with so many deliveries that are due, each of another deal. */
async function withDue(count: number, { failing = false, since = 0 } = {}): Promise<string> {
  const { db } = service.services
  const { id } = await publishAgent(service, person)
  const at = new Date(FIRST + since)
  await db.run(sql`insert into notifications_endpoint (agent_id, url, status, failing, created_at, updated_at)
    values (${id}, 'http://127.0.0.1:9/', 'ENABLED', ${failing}, ${at}, ${at})`)
  for (let n = 0; n < count; n++)
    await db.run(sql`with v as (
      insert into notifications_event (agent_id, subject_id, sequence, type, data, created_at)
      values (${id}, ${randomUUID()}, 1, 'deal.funded', '{}', ${at}) returning *)
      insert into notifications_delivery (id, event_id, agent_id, subject_id, status, next_attempt_at, created_at, updated_at)
      select gen_random_uuid(), id, agent_id, subject_id, 'PENDING', ${at}, ${at}, ${at} from v`)
  return id
}

const CLAIM: Claim = {
  now: LAST,
  real: new Date(),
  leasedUntil: new Date(Date.now() + 60_000),
  running: new Map(),
  perAgent: 4,
  limit: 64,
  failingLimit: 32,
}

/** How many each of the agents gets; the claim is undone. */
async function claimed(agents: readonly string[], claim: Partial<Claim> = {}): Promise<number[]> {
  const undo = new Error('undo')
  let rows: { agentId: string }[] = []
  const work = service.services.db.transaction(async tx => {
    rows = await tx.rows(claimDeliveries({ ...CLAIM, ...claim }))
    throw undo
  })
  await assert.rejects(work, undo)
  return agents.map(agent => rows.filter(({ agentId }) => agentId === agent).length)
}

test('gives each agent its turn, and failing ones few', async () => {
  // Its events came first.
  const many = await withDue(6)
  const failing = await withDue(3, { failing: true, since: 1 })
  const other = await withDue(1, { since: 2 })
  const agents = [many, failing, other]
  assert.deepEqual(await claimed(agents), [4, 1, 1])
  assert.deepEqual(await claimed(agents, { limit: 3 }), [1, 1, 1])
  assert.deepEqual(await claimed(agents, { running: new Map([[many, 3]]) }), [1, 1, 1])
  assert.deepEqual(await claimed(agents, { running: new Map([[many, 1]]), limit: 2 }), [0, 1, 1])
  assert.deepEqual(await claimed(agents, { running: new Map([[failing, 1]]) }), [4, 0, 1])
  assert.deepEqual(await claimed(agents, { failingLimit: 0 }), [4, 0, 1])
})

test('reads no more of what waits for an agent than it may get', async () => {
  const plan = await planOf(service, claimDeliveries(CLAIM))
  assert.match(plan, /Index Scan using notifications_delivery_due/)
  assert.doesNotMatch(plan, /Anti Join/)
})
