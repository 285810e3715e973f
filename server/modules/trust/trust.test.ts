import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { newId } from '#platform/kernel/id'
import {
  publishAgent,
  registerHuman,
  sharedService,
  startTestService,
  type ListedAgent,
  type Person,
  type TestService,
} from '#test'
import { lockEvidence, planOutcome, writeOutcome, type DealEnd, type Outcome } from './trust.ts'

interface Report {
  agentId: string
  score: number
  tier: string
  formula: string
  sampleSize: number
  confidence: number
  components: { delivery: number }
  evidence: { delivery: { all: number } }
  excluded: object
  transactions: { reductions: object[] }[]
  uncounted: { dealId: string; weight: number; reductions: object[] }[]
  message: string
}

interface HistoryEntry {
  reason: string
  dealId: string | null
  tier: { from: string; to: string }
  score: { from: number; to: number }
}

let service: TestService
let owner: Person
let buyer: Person

before(async () => {
  service = await sharedService()
  owner = await registerHuman(service)
  buyer = await registerHuman(service)
})
after(() => service.close())

const deal = (agentId: string, more: Partial<DealEnd> = {}): DealEnd => ({
  agentId,
  dealId: newId(),
  counterpartyAccountId: buyer.id,
  selfDeal: false,
  test: false,
  amount: 99_000_000n,
  ...more,
})
const record = (end: DealEnd, outcome: Outcome, of: TestService = service) =>
  of.services.db.transaction(async tx => {
    const evidence = await lockEvidence(tx, end.agentId, end.dealId)
    const change = evidence && planOutcome(evidence, end, outcome, tx.now)
    if (change) writeOutcome(tx, change)
  })
/** The score follows its deals within five seconds. */
const evaluate = () => service.advance(6)
const complete = (end: DealEnd, of: TestService = service) => record(end, 'COMPLETED', of)
const completeMany = (count: number, agentId: string, more: Partial<DealEnd> = {}) =>
  Promise.all(Array.from({ length: count }, () => complete(deal(agentId, more))))
const stateOf = async ({ id }: { id: string }, of: TestService = service) => {
  const { body } = await of.http<{
    trustTier: string
    trustScore: number
    stats: { completions: number }
    verificationStatus: string
  }>('GET', `/agents/${id}`)
  return {
    tier: body.trustTier,
    completions: body.stats.completions,
    score: body.trustScore,
    verification: body.verificationStatus,
  }
}

const historyOf = async ({ id }: { id: string }) =>
  (await service.http<{ items: HistoryEntry[] }>('GET', `/trust/${id}/history`)).body.items

/** An agent that no person owns yet. */
async function announced(): Promise<{ id: string; claim: () => Promise<number> }> {
  const creator = await registerHuman(service)
  const { body } = await service.http<{ agent_id: string; claim_url: string }>('POST', '/agents/announce', {
    token: creator.token,
    body: { name: 'Unclaimed' },
  })
  return {
    id: body.agent_id,
    claim: async () =>
      (
        await service.http('POST', `/agents/claim/${body.claim_url.split('/claim/')[1]}`, {
          token: owner.token,
        })
      ).status,
  }
}

test('the third completion makes BASIC, the tenth of a claimed agent VERIFIED', async () => {
  const agent = await publishAgent(service, owner)
  const tiers: string[] = []
  for (let n = 0; n < 11; n++) {
    await complete(deal(agent.id))
    tiers.push((await stateOf(agent)).tier)
  }
  assert.deepEqual(tiers, [
    'UNVERIFIED',
    'UNVERIFIED',
    ...Array.from({ length: 7 }, () => 'BASIC'),
    'VERIFIED',
    'VERIFIED',
  ])
  await evaluate()
  const { completions, score, verification } = await stateOf(agent)
  assert.equal(completions, 11)
  assert.ok(score > 0)
  assert.equal(verification, 'VERIFIED')
})

test('without a claim ten completions stay BASIC; the claim itself makes VERIFIED', async () => {
  const agent = await announced()
  await completeMany(12, agent.id)
  assert.equal((await stateOf(agent)).tier, 'BASIC')
  assert.equal(await agent.claim(), 200)
  assert.equal((await stateOf(agent)).tier, 'VERIFIED')
})

test('a claim alone raises nothing', async () => {
  const agent = await announced()
  await completeMany(2, agent.id)
  assert.equal(await agent.claim(), 200)
  assert.deepEqual((await stateOf(agent)).tier, 'UNVERIFIED')
})

test('parallel completions are all counted: of ten at once none is lost', async () => {
  const agent = await publishAgent(service, owner)
  await completeMany(10, agent.id)
  const { completions, tier } = await stateOf(agent)
  assert.deepEqual([completions, tier], [10, 'VERIFIED'])
})

test('counts a deal once, also if it is recorded eight times concurrently', async () => {
  const agent = await publishAgent(service, owner)
  const [once, twice] = [deal(agent.id), deal(agent.id)]
  await Promise.all(Array.from({ length: 8 }, () => complete(once)))
  await complete(twice)
  await complete(twice)
  assert.deepEqual([(await stateOf(agent)).completions, (await stateOf(agent)).tier], [2, 'UNVERIFIED'])
})

test('deals with oneself count for nothing', async () => {
  const agent = await publishAgent(service, owner)
  await completeMany(100, agent.id, { selfDeal: true })
  await evaluate()
  assert.deepEqual(await stateOf(agent), {
    tier: 'UNVERIFIED',
    completions: 0,
    score: 0,
    verification: 'UNVERIFIED',
  })
})

test('deals in test credit count in sandbox mode', async () => {
  const agent = await publishAgent(service, owner)
  await completeMany(3, agent.id, { test: true })
  assert.equal((await stateOf(agent)).tier, 'BASIC')
})

test('deals in test credit count for nothing in production mode', async () => {
  const production = await startTestService({
    SVC_MODE: 'production',
    PUBLIC_URL: 'https://svc.example',
    VERIFIER_ALLOW_PRIVATE: '',
    STRIPE_WEBHOOK_SECRET: `whsec_${'a'.repeat(40)}`,
    SMTP_URL: 'smtp://127.0.0.1:9',
  })
  try {
    const seller = await registerHuman(production)
    const agent: ListedAgent = await publishAgent(production, seller)
    const end = (test: boolean) =>
      complete(deal(agent.id, { test, counterpartyAccountId: seller.id }), production)
    for (let n = 0; n < 5; n++) await end(true)
    assert.deepEqual(
      [(await stateOf(agent, production)).completions, (await stateOf(agent, production)).tier],
      [0, 'UNVERIFIED'],
    )
    for (let n = 0; n < 3; n++) await end(false)
    assert.equal((await stateOf(agent, production)).tier, 'BASIC')
  } finally {
    await production.close()
  }
})

test('failures lower the score and never the tier', async () => {
  const agent = await publishAgent(service, owner)
  await completeMany(3, agent.id)
  await evaluate()
  const { score } = await stateOf(agent)
  for (let n = 0; n < 3; n++) await record(deal(agent.id), 'FAILED')
  await evaluate()
  const later = await stateOf(agent)
  assert.ok(later.score < score, `${later.score} < ${score}`)
  assert.deepEqual([later.tier, later.completions], ['BASIC', 3])
})

test("only a VERIFIED agent becomes TRUSTED, by a reviewer's word, and stays it", async () => {
  const admin = await service.adminToken()
  const agent = await publishAgent(service, owner)
  const trust = () =>
    service.http<{ trustTier: string; message: string }>('POST', `/agents/${agent.id}/review`, {
      token: admin,
      body: { decision: 'TRUSTED' },
    })
  const early = await trust()
  assert.equal(early.status, 409)
  assert.match(early.body.message, /^Cannot trust while UNVERIFIED/)
  await completeMany(10, agent.id)
  const granted = await trust()
  assert.deepEqual([granted.status, granted.body.trustTier], [201, 'TRUSTED'])
  assert.equal((await trust()).status, 409)
  await complete(deal(agent.id))
  assert.equal((await stateOf(agent)).tier, 'TRUSTED')
  const tiers = (await historyOf(agent)).filter(({ tier }) => tier.from !== tier.to)
  assert.deepEqual(
    tiers.map(({ reason, tier }) => [reason, tier.to]),
    [
      ['REVIEW', 'TRUSTED'],
      ['DEAL_COMPLETED', 'VERIFIED'],
      ['DEAL_COMPLETED', 'BASIC'],
    ],
  )
})

test('the score shows its components and deals, without counterparties', async () => {
  const agent = await publishAgent(service, owner)
  await completeMany(3, agent.id)
  const self = deal(agent.id, { selfDeal: true })
  await complete(self)
  await evaluate()
  const { status, body, text } = await service.http<Report>('GET', `/trust/${agent.id}/score`)
  assert.equal(status, 200)
  assert.deepEqual(
    [body.agentId, body.tier, body.sampleSize, body.transactions.length],
    [agent.id, 'BASIC', 3, 3],
  )
  assert.equal(body.score, (await stateOf(agent)).score)
  assert.ok(body.components.delivery > 0 && body.confidence > 0 && body.formula)
  assert.ok(!text.includes(buyer.id))
  assert.deepEqual(
    body.uncounted.map(({ dealId, weight, reductions }) => [dealId, weight, reductions]),
    [[self.dealId, 0, [{ reason: 'SELF_DEAL', factor: 0 }]]],
  )
  assert.deepEqual(body.excluded, { selfDeals: 1, testDeals: 0 })
  const [newest] = body.transactions
  assert.deepEqual(newest?.reductions, [{ reason: 'COUNTERPARTY_SHARE', factor: 0.2 }])
  assert.equal(body.evidence.delivery.all, 0.6)
})

test('the score of an unknown agent is 404, of a private one 403 but to its owner', async () => {
  for (const id of [newId(), 'nobody'])
    assert.equal((await service.http('GET', `/trust/${id}/score`)).status, 404)
  const secret = await publishAgent(service, owner, { visibility: 'PRIVATE' })
  assert.deepEqual(
    [
      (await service.http('GET', `/trust/${secret.id}/score`)).status,
      (await service.http('GET', `/trust/${secret.id}/score`, { token: owner.token })).status,
    ],
    [403, 200],
  )
})

test('the history names what moved the score: a deal, the age of the evidence', async () => {
  const agent = await publishAgent(service, owner)
  for (let n = 0; n < 5; n++) await complete(deal(agent.id))
  await evaluate()
  const failure = deal(agent.id)
  await record(failure, 'FAILED')
  await evaluate()
  await service.advance(31 * 24 * 3600)
  const [aged, failed, ...completed] = (await historyOf(agent)).filter(({ score }) => score.from !== score.to)
  assert.deepEqual([aged?.reason, failed?.reason, failed?.dealId], ['AGE', 'DEAL_FAILED', failure.dealId])
  assert.ok(completed.length > 0 && completed.every(({ reason }) => reason === 'DEAL_COMPLETED'))
  assert.deepEqual([completed.at(-1)?.score.from, aged?.score.to], [0, (await stateOf(agent)).score])
  assert.ok((failed?.score.to ?? 0) < (failed?.score.from ?? 0))
})

test('deals with an account that becomes its owner count no more', async () => {
  const agent = await announced()
  for (let n = 0; n < 12; n++) await complete(deal(agent.id, { counterpartyAccountId: owner.id }))
  assert.equal(await agent.claim(), 200)
  await evaluate()
  const { score, completions, tier } = await stateOf(agent)
  assert.deepEqual([score, completions, tier], [0, 0, 'BASIC'])
})
