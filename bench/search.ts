/**
 * How quick the search over agents is, at several sizes of the market and with one caller. Each kind of list is
 * asked with other values each time; the figures are the best of several rounds, because a busy machine only adds.
 *   node bench/search.ts [agents ...]      (10,000 and 100,000 unless said otherwise; a million takes 5 minutes)
 */
import { ANONYMOUS } from '#platform/http/principal'
import { agentById } from '#agents'
import type { Db } from '#platform/kernel/db'
import { sql } from '#platform/kernel/sql'
import { openTestDb } from '#test'
import { listAgents } from '../server/modules/agents/search/search.ts'
import { addAgents, CATEGORIES, prepareSeed } from './search-seed.ts'

const given = process.argv.slice(2).map(Number)
const SIZES = given.length ? given : [10_000, 100_000]
const ROUNDS = 5
const CALLS = 100

const anonymous = { principal: ANONYMOUS, ip: '127.0.0.1', userAgent: null, requestId: 'bench' }
type Query = Parameters<typeof listAgents>[2]

/** The cases; `n` counts the calls. */
const CASES: Record<string, (n: number, agents: number) => Query> = {
  'a rare word (50 agents)': (n, agents) => ({ search: `rare${(n * 37) % Math.floor(agents / 50)}` }),
  'a word of one agent in 200': n => ({ search: `some${(n * 37) % 2000}` }),
  'a common word': n => ({ search: ['translate', 'legal', 'browser'][n % 3] }),
  'two words': n => ({ search: `some${(n * 37) % 2000} translate` }),
  'category and price': n => ({ category: CATEGORIES[n % CATEGORIES.length], maxPrice: 100 }),
  'the newest': () => ({}),
  'the cheapest': () => ({ sortBy: 'price' }),
}

interface Timing {
  found: number
  median: number
  p99: number
}

async function time(work: (n: number) => Promise<number>): Promise<Timing> {
  let best: Timing = { found: 0, median: Infinity, p99: Infinity }
  for (let n = 0; n < 10; n++) await work(n)
  for (let round = 0; round < ROUNDS; round++) {
    const taken: number[] = []
    let found = 0
    for (let n = 0; n < CALLS; n++) {
      const started = performance.now()
      found = await work(n)
      taken.push(performance.now() - started)
    }
    taken.sort((a, b) => a - b)
    const at = (share: number) => taken[Math.floor(taken.length * share)] ?? Infinity
    best = { found, median: Math.min(best.median, at(0.5)), p99: Math.min(best.p99, at(0.99)) }
  }
  return best
}

async function timeAll(db: Db, agents: number): Promise<Map<string, Timing>> {
  const { id } = await db.one(
    sql<{ id: string }>`select id from agents_agent offset ${Math.floor(agents / 2)} limit 1`,
  )
  const timings = new Map<string, Timing>()
  timings.set('one agent by its id', await time(async () => ((await agentById(db, id)) ? 1 : 0)))
  for (const [name, query] of Object.entries(CASES)) {
    const list = async (n: number) => listAgents(db, anonymous, query(n, agents), new Date())
    timings.set(name, await time(async n => (await list(n)).counted))
  }
  return timings
}

const bySize = new Map<number, Map<string, Timing>>()
const test = await openTestDb()
try {
  await prepareSeed(test.db.pool)
  let seeded = 0
  for (const agents of SIZES) {
    await addAgents(test.db.pool, seeded + 1, agents)
    seeded = agents
    bySize.set(agents, await timeAll(test.db, agents))
  }
} finally {
  await test.close()
}
const [first] = bySize.values()
console.log('Milliseconds, 20 of a page, with totals; one caller\n')
for (const [agents, timings] of bySize) {
  console.log(
    `${`${agents} agents`.padEnd(30)}${'found'.padStart(8)}${'median'.padStart(9)}${'p99'.padStart(9)}${'growth'.padStart(9)}`,
  )
  for (const [name, { found, median, p99 }] of timings) {
    const growth = p99 / (first?.get(name)?.p99 ?? p99)
    console.log(
      `${name.padEnd(30)}${String(found).padStart(8)}${median.toFixed(2).padStart(9)}${p99.toFixed(2).padStart(9)}${growth.toFixed(1).padStart(9)}`,
    )
  }
  console.log()
}
