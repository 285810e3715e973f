import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import {
  publishAgent,
  registerHuman,
  sharedService,
  type ListedAgent,
  type Person,
  type TestService,
} from '#test'
import { lockEvidence, planOutcome, writeOutcome } from './trust.ts'

/**
 * What a ring gains, and what honest trade gives: the score after as many deals of the same amounts with five buyers who
 * sell nothing to the seller or its suppliers.
 */
const DEALS = 20
const SIZE = 5

interface Seller extends Person {
  agent: ListedAgent
}

interface Report {
  score: number
  sampleSize: number
  transactions: { weight: number; reductions: { reason: string; factor: number }[] }[]
}

let service: TestService
let ring: Seller[]
let buyers: Person[]
let honest: Seller

const withAgent = async (): Promise<Seller> => {
  const person = await registerHuman(service)
  return { ...person, agent: await publishAgent(service, person) }
}

before(async () => {
  service = await sharedService()
  ring = await Promise.all(Array.from({ length: SIZE }, withAgent))
  buyers = await Promise.all(Array.from({ length: SIZE }, () => registerHuman(service)))
  honest = await withAgent()
})
after(() => service.close())

const complete = (buyer: Person, seller: Seller, usd = 99) =>
  service.services.db.transaction(async tx => {
    const deal = { agentId: seller.agent.id, dealId: newId(), counterpartyAccountId: buyer.id }
    const evidence = await lockEvidence(tx, deal.agentId, deal.dealId)
    const end = { ...deal, selfDeal: false, test: false, amount: BigInt(Math.round(usd * 1_000_000)) }
    const change = evidence && planOutcome(evidence, end, 'COMPLETED', tx.now)
    if (change) writeOutcome(tx, change)
  })
/** Lets the score of every agent be computed: at most once in five seconds. */
const evaluate = () => service.advance(6)
const scoreOf = async ({ agent }: Seller) =>
  (await service.http<{ trustScore: number }>('GET', `/agents/${agent.id}`)).body.trustScore
const report = async ({ agent }: Seller) =>
  (await service.http<Report>('GET', `/trust/${agent.id}/score`)).body
const member = (index: number): Seller => {
  const found = ring[index % SIZE]
  assert.ok(found)
  return found
}

/** The best score in the ring is at most a fifth of that of honest trade. */
async function assertRingGainsLittle(): Promise<void> {
  await evaluate()
  const fair = await scoreOf(honest)
  assert.ok(fair >= 50, `honest trade gives ${fair}`)
  for (const seller of ring) {
    const gained = await scoreOf(seller)
    assert.ok(gained * 5 <= fair, `the ring gains ${gained}, honest trade ${fair}`)
  }
}

test('a ring of five that trades in a circle gains at most a fifth of what honest trade gives', async () => {
  for (let round = 0; round < DEALS; round++) {
    await complete(buyers[round % SIZE] ?? honest, honest)
    // With the money that the fee leaves of each deal.
    for (let index = 0; index < SIZE; index++)
      await complete(member(index), member(index + 1), 99 * 0.8 ** (index % 3))
  }
  await assertRingGainsLittle()
  const { sampleSize, transactions } = await report(member(0))
  assert.equal(sampleSize, DEALS)
  assert.ok(transactions.every(({ reductions }) => reductions.some(each => each.reason === 'MONEY_RETURNED')))
})

test('the same ring gains no more when each of the five buys from each', async () => {
  for (let step = 1; step < SIZE; step++)
    for (let index = 0; index < SIZE; index++)
      for (let deal = 0; deal < DEALS / SIZE; deal++) await complete(member(index), member(index + step))
  await assertRingGainsLittle()
})

test('an honest seller that also buys elsewhere keeps its score', async () => {
  const before = await scoreOf(honest)
  for (let deal = 0; deal < 5; deal++) await complete(honest, member(deal))
  await evaluate()
  const { transactions } = await report(honest)
  assert.ok(
    transactions.every(({ reductions }) => reductions.every(each => each.reason !== 'MONEY_RETURNED')),
  )
  assert.ok((await scoreOf(honest)) >= before)
})

for (const size of [6, 8, 12])
  test(`a ring of ${size} gains at most a fifth, too`, async () => {
    const members = await Promise.all(Array.from({ length: size }, withAgent))
    for (let round = 0; round < DEALS; round++)
      for (const [index, seller] of members.entries()) {
        const buyer = members[(index + size - 1) % size]
        // The money goes around, less the fee each time, and the first member makes up for it.
        if (buyer) await complete(buyer, seller, 99 * 0.8 ** index)
      }
    await evaluate()
    const fair = await scoreOf(honest)
    for (const seller of members) {
      const gained = await scoreOf(seller)
      assert.ok(gained * 5 <= fair, `the ring gains ${gained}, honest trade ${fair}`)
    }
  })
