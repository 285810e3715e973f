import { createHash } from 'node:crypto'
import type { Db, Queryable, Tx } from './db.ts'
import { identifier, sql } from './sql.ts'

/** What a JSON column gives back. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** One item as it stands in the database now: `stored` is its hash column, `computed` that of its content. */
export interface ChainItem { id: string; stored: string; computed: string; faults?: string[] }

/**
 * Rows of evidence sealed into blocks, each holding the hash of the one before: what is changed, removed or
 * put in later shows. Tables: `<table>` (id, hash, recorded_at), `<prefix>_unsealed` and `<prefix>_block`.
 */
export interface Chain {
  name: string
  noun: string
  table: string
  prefix: string
  /** Key of the advisory lock that makes the sealer one over all instances. */
  lock: number
  /** The items as they are now, recomputed. */
  read(q: Queryable, ids: readonly string[]): Promise<ChainItem[]>
  /** Runs in the transaction that seals, for what must move with the block. */
  onSealed?(tx: Tx, ids: readonly string[]): Promise<void>
}

export interface ChainReport {
  ok: boolean
  faults: string[]
  blocks: number
  items: number
  /** Hash of the last block. Kept elsewhere, it shows a chain that was rewritten as a whole. */
  head: string
}

interface Block { number: bigint; items: string[]; previous_hash: string; hash: string; sealed_below: string; sealed_at: Date }

const GENESIS = '0'.repeat(64)
const BLOCK_SIZE = 1000
const MANY = 20

/**
 * A value as a JSON column will return it, keys in order: without undefined, bigint as text, and without the
 * characters that PostgreSQL or UTF-8 cannot hold. What is hashed must be what is stored.
 */
export function storable(value: unknown): Json {
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Number.isFinite(value) ? value || 0 : null
  if (typeof value === 'boolean') return value
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return null
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([key, field]) => [storableText(key), storable(field)] as const).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** sha256 in hex over the JSON text of a storable value. */
export const digest = (value: Json): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** Seals what waits, in blocks of at most 1000, and answers how many items. Does nothing while another instance seals. */
export async function sealChain(db: Db, chain: Chain): Promise<number> {
  let total = 0
  for (let sealed = BLOCK_SIZE; sealed === BLOCK_SIZE; total += sealed) sealed = await db.transaction(tx => sealBlock(tx, chain))
  return total
}

async function sealBlock(tx: Tx, chain: Chain): Promise<number> {
  const { free } = await tx.one(sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${chain.lock}) as free`)
  if (!free) return 0
  const taken = await tx.rows(takeUnsealed(chain))
  const last = taken.at(-1)
  if (!last) return 0
  const ids = taken.map(row => row.item_id)
  const previous = await tx.maybe(lastBlock(chain))
  const block: Omit<Block, 'hash'> = {
    number: (previous?.number ?? 0n) + 1n, items: ids, previous_hash: previous?.hash ?? GENESIS,
    sealed_below: taken.length === BLOCK_SIZE ? last.xid : last.horizon, sealed_at: tx.clock.real(),
  }
  const hashes = new Map((await tx.rows(storedHashes(chain, ids))).map(item => [item.id, item.hash]))
  await tx.run(insertBlock(chain, { ...block, hash: blockHash(block, hashes) }))
  await chain.onSealed?.(tx, ids)
  return ids.length
}

// Only transactions below the oldest one still open: all that they wrote is visible, so no late commit can belong
// before this block. Ids ahead of every transaction come from a database that was restored into this server.
const takeUnsealed = (chain: Chain) => sql<{ item_id: string; xid: string; horizon: string }>`
  with seen as (select pg_current_snapshot() as snapshot), taken as (
    delete from ${identifier(`${chain.prefix}_unsealed`)} where item_id in (
      select item_id from ${identifier(`${chain.prefix}_unsealed`)}, seen
      where xid < pg_snapshot_xmin(snapshot) or xid >= pg_snapshot_xmax(snapshot)
      order by xid, item_id limit ${BLOCK_SIZE})
    returning item_id, xid)
  select item_id, xid, pg_snapshot_xmin(snapshot) as horizon from taken, seen order by xid, item_id`

const storedHashes = (chain: Chain, ids: readonly string[]) => sql<{ id: string; hash: string }>`
  select id, hash from ${identifier(chain.table)} where id = any(${ids}::uuid[])`

const lastBlock = (chain: Chain) => sql<Pick<Block, 'number' | 'hash'>>`
  select number, hash from ${identifier(`${chain.prefix}_block`)} order by number desc limit 1`

const nextBlocks = (chain: Chain, after: bigint) => sql<Block>`
  select number, items, previous_hash, hash, sealed_below, sealed_at from ${identifier(`${chain.prefix}_block`)}
  where number > ${after} order by number limit 20`

const insertBlock = (chain: Chain, block: Block) => sql`
  insert into ${identifier(`${chain.prefix}_block`)} (number, items, previous_hash, hash, sealed_below, sealed_at)
  values (${block.number}, ${block.items}::uuid[], ${block.previous_hash}, ${block.hash}, ${block.sealed_below}::xid8, ${block.sealed_at})`

const blockHash = (block: Omit<Block, 'hash'>, hashes: Map<string, string>): string => digest([
  1, block.number.toString(), block.previous_hash, block.sealed_below, block.sealed_at.toISOString(),
  block.items.map(id => [id, hashes.get(id) ?? null]),
])

/** Recomputes every item and every block from the first on, and looks for items that stand in no block after a minute. */
export async function verifyChain(q: Queryable, chain: Chain): Promise<ChainReport> {
  const faults: string[] = []
  let previous = { number: 0n, hash: GENESIS }
  let items = 0
  for (let blocks = await q.rows(nextBlocks(chain, 0n)); blocks.length; blocks = await q.rows(nextBlocks(chain, previous.number))) {
    for (const block of blocks) {
      faults.push(...await verifyBlock(q, chain, block, previous))
      items += block.items.length
      previous = block
    }
  }
  for (const { id, waits } of await q.rows(unsealed(chain))) {
    faults.push(`${chain.noun} ${id} stands in no block ${waits ? 'after a minute: start the service, which seals' : 'and does not wait for one'}`)
  }
  for (const { id } of await q.rows(sealedTwice(chain))) faults.push(`${chain.noun} ${id} stands in more than one block`)
  return { ok: faults.length === 0, faults, blocks: Number(previous.number), items, head: previous.hash }
}

async function verifyBlock(q: Queryable, chain: Chain, block: Block, previous: { number: bigint; hash: string }): Promise<string[]> {
  const faults: string[] = []
  if (block.number !== previous.number + 1n) faults.push(`${chain.name} block ${previous.number + 1n} is missing`)
  if (block.previous_hash !== previous.hash) faults.push(`${chain.name} block ${block.number} does not follow the block before it`)
  const found = new Map((await chain.read(q, block.items)).map(item => [item.id, item]))
  for (const id of block.items) {
    const item = found.get(id)
    if (!item) faults.push(`${chain.noun} ${id} of block ${block.number} is missing`)
    else if (item.stored !== item.computed) faults.push(`${chain.noun} ${id} was changed: its content does not fit its hash`)
    faults.push(...item?.faults ?? [])
  }
  const hashes = new Map([...found].map(([id, item]) => [id, item.computed]))
  if (blockHash(block, hashes) !== block.hash) faults.push(`${chain.name} block ${block.number} does not fit its hash`)
  return faults
}

// What waits for less than a minute is on its way; what neither waits nor stands in a block was taken out of one.
const unsealed = (chain: Chain) => sql<{ id: string; waits: boolean }>`
  select item.id, waiting.item_id is not null as waits
  from ${identifier(chain.table)} item left join ${identifier(`${chain.prefix}_unsealed`)} waiting on waiting.item_id = item.id
  where (waiting.item_id is null or item.recorded_at < clock_timestamp() - interval '1 minute')
    and not exists (select from (select unnest(items) as id from ${identifier(`${chain.prefix}_block`)}) sealed where sealed.id = item.id)
  order by item.id limit ${MANY}`

const sealedTwice = (chain: Chain) => sql<{ id: string }>`
  select id from (select unnest(items) as id from ${identifier(`${chain.prefix}_block`)}) sealed group by id having count(*) > 1 limit ${MANY}`
