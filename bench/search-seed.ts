import type pg from 'pg'

/** Words of many listings, the most frequent first. */
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

/** Every category has the same share of the agents. */
export const CATEGORIES = Array.from({ length: 20 }, (_, index) => `category ${index}`)

/**
 * Names and descriptions of 28 common words, of 2,000 that one agent in 200 uses ("some0" to "some1999"), and, as in a
 * real vocabulary, of words that are rare however many agents there are ("rare0" and so on, 50 agents each).
 */
const SEED = `
  insert into agents_agent (id, slug, name, description, categories, tags, capabilities, pricing_model, price, price_currency, visibility,
    fulfillment_types, status, creator_id, wallet_id, trust_score, created_at, updated_at)
  select gen_random_uuid(), 'agent-' || i, initcap(word(i * 7) || ' ' || word(i * 13 + 1)) || ' ' || i,
    (select string_agg(case when k % 4 <> 0 then word(i * k + k)
        when k = 4 then 'rare' || i / 50 else 'some' || (i * 31 + k * 17) % 2000 end, ' ')
      from generate_series(1, 40) k),
    array['category ' || (abs(hashint4(i)) % ${CATEGORIES.length})], array[word(i), word(i * 3 + 2)], array[word(i * 5 + 3)],
    'fixed', (abs(hashint4(i + 7)) % 500) * 1000000, 'USD', 'PUBLIC',
    '{}', 'ACTIVE', gen_random_uuid(), gen_random_uuid(), abs(hashint4(i + 3)) % 101, now() - make_interval(secs => i), now()
  from generate_series($1::int, $2::int) i`

/** Prepares an empty database that belongs to the bench: owners and wallets may be made up. */
export async function prepareSeed(pool: pg.Pool): Promise<void> {
  await pool.query(
    'alter table agents_agent drop constraint agents_agent_creator_id_fkey, drop constraint agents_agent_wallet_id_fkey',
  )
  await pool.query(
    `create function word(i int) returns text immutable parallel safe language sql return ('{${COMMON_WORDS.join(',')}}'::text[])[1 + abs(hashint4(i)) % ${COMMON_WORDS.length}]`,
  )
}

const STEP = 50_000

/** Adds the agents from number `from` to number `to`. Indexes on the words are built afterwards, which is faster. */
export async function addAgents(pool: pg.Pool, from: number, to: number): Promise<void> {
  const { rows } = await pool.query<{ name: string; def: string }>(
    `select indexname as name, indexdef as def from pg_indexes where tablename = 'agents_agent' and indexdef like '%USING gin%'`,
  )
  for (const { name } of rows) await pool.query(`drop index ${name}`)
  for (let next = from; next <= to; next += STEP)
    await pool.query(SEED, [next, Math.min(next + STEP - 1, to)])
  for (const { def } of rows) await pool.query(def)
  await pool.query('vacuum analyze agents_agent')
}
