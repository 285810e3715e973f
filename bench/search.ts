/**
 * How quick the search over agents is: each kind of list against the limit, one agent read by its key.
 *   node bench/search.ts [agents]      (10,000 unless said otherwise; about 15 s)
 */
import { openTestDb } from '#test'
import { agentById } from '#agents'
import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import { listAgents } from '../server/modules/agents/search.ts'

const AGENTS = Number(process.argv[2] ?? 10_000)
const SECONDS_PER_CASE = 1.5

const COMMON_WORDS = [
  'translate',
  'legal',
  'contract',
  'summarize',
  'invoice',
  'research',
  'scrape',
  'browser',
  'travel',
  'booking',
  'medical',
  'image',
  'video',
  'audio',
  'transcribe',
  'review',
  'code',
  'test',
  'deploy',
  'monitor',
  'market',
  'price',
  'trade',
  'risk',
  'tax',
  'payroll',
  'hire',
  'email',
]

// Names and descriptions of 28 common words and, as in a real vocabulary, 2,000 rare ones.
const SEED = `
  insert into agents_agent (id, slug, name, description, categories, tags, capabilities, pricing_model, price, price_currency, visibility,
    fulfillment_types, status, creator_id, wallet_id, trust_score, created_at, updated_at, named_at)
  select gen_random_uuid(), 'agent-' || i, initcap(word(i * 7) || ' ' || word(i * 13 + 1)) || ' ' || i,
    (select string_agg(case when k % 4 = 0 then 'rare' || (i * 31 + k * 17) % 2000 else word(i * k + k) end, ' ') from generate_series(1, 40) k),
    array['general'], array[word(i), word(i * 3 + 2)], array[word(i * 5 + 3)], 'fixed', (i % 500) * 1000000, 'USD', 'PUBLIC',
    '{}', 'ACTIVE', gen_random_uuid(), gen_random_uuid(), i % 101, now() - make_interval(mins => i), now(), now()
  from generate_series(1, $1::int) i`

/** This database is the bench's own, so owners and wallets may be made up. Returns the id of one agent. */
async function seed(db: Db): Promise<string> {
  await db.pool.query(
    'alter table agents_agent drop constraint agents_agent_creator_id_fkey, drop constraint agents_agent_wallet_id_fkey',
  )
  await db.pool.query(
    `create function word(i int) returns text immutable language sql return ('{${COMMON_WORDS.join(',')}}'::text[])[1 + abs(hashint4(i)) % ${COMMON_WORDS.length}]`,
  )
  await db.pool.query(SEED, [AGENTS])
  await db.pool.query('vacuum analyze agents_agent')
  return (await db.one(sql<{ id: string }>`select id from agents_agent offset ${Math.floor(AGENTS / 2)} limit 1`)).id
}

interface Timing {
  name: string
  found: number
  median: number
  p95: number
}

async function time(name: string, act: () => Promise<number>): Promise<Timing> {
  const taken: number[] = []
  const until = performance.now() + SECONDS_PER_CASE * 1000
  let found = 0
  for (let warm = 0; warm < 10; warm++) found = await act()
  while (performance.now() < until) {
    const started = performance.now()
    await act()
    taken.push(performance.now() - started)
  }
  taken.sort((a, b) => a - b)
  const at = (share: number) => taken[Math.floor(taken.length * share)] ?? Number.NaN
  return { name, found, median: at(0.5), p95: at(0.95) }
}

const test = await openTestDb()
try {
  const id = await seed(test.db)
  const list = (name: string, query: Parameters<typeof listAgents>[2]) =>
    time(name, async () => (await listAgents(test.db, null, query, new Date())).counted)
  const limit = await time('one agent by its id (the limit)', async () => ((await agentById(test.db, id)) ? 1 : 0))
  const timings = [
    limit,
    await list('ranked search, a rare word', { search: 'rare777' }),
    await list('ranked search, two words', { search: 'rare777 translate' }),
    await list('ranked search, a phrase', { search: '"legal contract" rare42' }),
    await list('ranked search, a word of most agents', { search: 'translate' }),
    await list('tag and price, by trust', { tag: 'legal', maxPrice: 100, sortBy: 'trustScore' }),
    await list('the first page of all', {}),
    await list('the cheapest of all', { sortBy: 'price' }),
  ]
  console.log(`${AGENTS} agents, 20 of a page, with exact totals; one caller\n`)
  console.log(
    `${'case'.padEnd(40)}${'found'.padStart(8)}${'median ms'.padStart(11)}${'p95 ms'.padStart(9)}${'x limit'.padStart(9)}`,
  )
  for (const { name, found, median, p95 } of timings) {
    console.log(
      `${name.padEnd(40)}${String(found).padStart(8)}${median.toFixed(2).padStart(11)}${p95.toFixed(2).padStart(9)}${(median / limit.median).toFixed(1).padStart(9)}`,
    )
  }
} finally {
  await test.close()
}
