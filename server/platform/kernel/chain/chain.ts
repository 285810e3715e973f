import { createHash, createHmac } from 'node:crypto'
import type { Db, Queryable, Tx } from '../db.ts'
import type { Secrets } from '../secrets.ts'
import { identifier, sql } from '../sql.ts'

/** What a JSON column gives back. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** One stored item: `stored` is its hash column, `computed` the hash of its content. */
export interface ChainItem {
  id: string
  stored: string
  computed: string
  findings?: string[]
}

/**
 * Rows of evidence sealed into blocks, each holding the hash of the one before: what is changed, removed or
 * put in later shows. Blocks are keyed (HMAC) with a key derived from the master key, which the database does not hold:
 * write access to the database does not suffice to make them (docs/adr/0012). Blocks of version 1, from before the
 * key, stay verifiable; none may follow a keyed block.
 * Tables: `<table>` (id, hash, recorded_at), `<prefix>_unsealed` and `<prefix>_block`.
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
  findings: string[]
  blocks: number
  items: number
  /** Hash of the last block. Stored elsewhere, it shows a chain whose end was cut off. */
  head: string
}

/** The last block of a chain. */
export interface Head {
  chain: string
  block: number
  hash: string
}

interface Block {
  number: bigint
  version: number
  items: string[]
  previousHash: string
  hash: string
  sealedBelow: string
  sealedAt: Date
}

const GENESIS = '0'.repeat(64)
const BLOCK_SIZE = 1000
const KEYED = 2
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
  return Object.fromEntries(
    fields
      .map(([key, field]) => [storableText(key), storable(field)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** sha256 in hex over the JSON text of a storable value. */
export const digest = (value: Json): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** The key of a chain's blocks. */
const keyOf = (secrets: Secrets, chain: Chain): Buffer => secrets.derive(`chain/${chain.name}`)
/** Where it is recorded, sealed by the master key, with which block a chain began to be keyed. */
const beginningOf = (chain: Chain): string => `chain/${chain.name}`

/**
 * Seals what waits, in blocks of at most 1000, and returns how many items. Does nothing while another instance seals.
 * `onHead` gets the new last block.
 */
export async function sealChain(
  db: Db,
  chain: Chain,
  secrets: Secrets,
  onHead?: (head: Head) => void,
): Promise<number> {
  let total = 0
  for (let sealed = BLOCK_SIZE; sealed === BLOCK_SIZE; total += sealed) {
    const block = await db.transaction(tx => sealBlock(tx, chain, secrets))
    sealed = block?.items.length ?? 0
    if (block) onHead?.(headOf(chain, block))
  }
  return total
}

const headOf = ({ name }: Chain, { number, hash }: Pick<Block, 'number' | 'hash'>): Head => ({
  chain: name,
  block: Number(number),
  hash,
})

/** The last block of a chain; undefined while it has none. */
export async function lastHead(q: Queryable, chain: Chain): Promise<Head | undefined> {
  const last = await q.maybe(lastBlock(chain))
  return last && headOf(chain, last)
}

async function sealBlock(tx: Tx, chain: Chain, secrets: Secrets): Promise<Block | null> {
  const { free } = await tx.one(
    sql<{ free: boolean }>`select pg_try_advisory_xact_lock(${chain.lock}) as free`,
  )
  if (!free) return null
  const taken = await tx.rows(takeUnsealed(chain))
  const last = taken.at(-1)
  if (!last) return null
  const ids = taken.map(row => row.itemId)
  const previous = await tx.maybe(lastBlock(chain))
  const number = (previous?.number ?? 0n) + 1n
  if (previous?.version !== KEYED) await secrets.stored(tx, beginningOf(chain), () => String(number))
  const block: Omit<Block, 'hash'> = {
    number,
    version: KEYED,
    items: ids,
    previousHash: previous?.hash ?? GENESIS,
    sealedBelow: taken.length === BLOCK_SIZE ? last.xid : last.horizon,
    sealedAt: tx.clock.real(),
  }
  const hashes = new Map((await tx.rows(storedHashes(chain, ids))).map(item => [item.id, item.hash]))
  const sealed = { ...block, hash: blockHash(block, hashes, keyOf(secrets, chain)) }
  await tx.run(insertBlock(chain, sealed))
  await chain.onSealed?.(tx, ids)
  return sealed
}

// Only transactions below the oldest one still open: all that they wrote is visible, so no late commit can belong
// before this block. Ids ahead of every transaction come from a database that was restored into this server.
const takeUnsealed = (chain: Chain) => sql<{ itemId: string; xid: string; horizon: string }>`
  with seen as (select pg_current_snapshot() as snapshot), taken as (
    delete from ${identifier(`${chain.prefix}_unsealed`)} where item_id in (
      select item_id from ${identifier(`${chain.prefix}_unsealed`)}, seen
      where xid < pg_snapshot_xmin(snapshot) or xid >= pg_snapshot_xmax(snapshot)
      order by xid, item_id limit ${BLOCK_SIZE})
    returning item_id, xid)
  select item_id, xid, pg_snapshot_xmin(snapshot) as horizon from taken, seen order by xid, item_id`

const storedHashes = (chain: Chain, ids: readonly string[]) => sql<{ id: string; hash: string }>`
  select id, hash from ${identifier(chain.table)} where id = any(${ids}::uuid[])`

const lastBlock = (chain: Chain) => sql<Pick<Block, 'number' | 'hash' | 'version'>>`
  select number, hash, version from ${identifier(`${chain.prefix}_block`)} order by number desc limit 1`

const nextBlocks = (chain: Chain, after: bigint) => sql<Block>`
  select number, version, items, previous_hash, hash, sealed_below, sealed_at from ${identifier(`${chain.prefix}_block`)}
  where number > ${after} order by number limit 20`

const insertBlock = (chain: Chain, block: Block) => sql`
  insert into ${identifier(`${chain.prefix}_block`)} (number, version, items, previous_hash, hash, sealed_below, sealed_at)
  values (${block.number}, ${block.version}, ${block.items}::uuid[], ${block.previousHash}, ${block.hash}, ${block.sealedBelow}::xid8, ${block.sealedAt})`

function blockHash(block: Omit<Block, 'hash'>, hashes: Map<string, string>, key: Buffer): string {
  const content = [
    block.version,
    block.number.toString(),
    block.previousHash,
    block.sealedBelow,
    block.sealedAt.toISOString(),
    block.items.map(id => [id, hashes.get(id) ?? null]),
  ]
  return block.version === 1
    ? digest(content)
    : createHmac('sha256', key).update(JSON.stringify(content)).digest('hex')
}

/**
 * Recomputes every item and every block from the first on, and reports items that are in no block after a minute.
 * Each statement reads a bounded part. Throws if the master key is not the one of this database.
 */
export async function verifyChain(q: Queryable, chain: Chain, secrets: Secrets): Promise<ChainReport> {
  const findings: string[] = []
  const beginning = await secrets.find(q, beginningOf(chain))
  const check = {
    chain,
    key: keyOf(secrets, chain),
    keyedFrom: beginning === undefined ? null : BigInt(beginning),
  }
  let previous = { number: 0n, version: 1, hash: GENESIS }
  let items = 0
  for (
    let blocks = await q.rows(nextBlocks(chain, 0n));
    blocks.length;
    blocks = await q.rows(nextBlocks(chain, previous.number))
  ) {
    for (const block of blocks) {
      findings.push(...(await verifyBlock(q, check, block, previous)))
      items += block.items.length
      previous = block
    }
  }
  if (previous.version === KEYED && check.keyedFrom === null)
    findings.push(`${chain.name}: the record of its first keyed block is missing`)
  findings.push(...(await strayItems(q, chain)))
  return { ok: findings.length === 0, findings, blocks: Number(previous.number), items, head: previous.hash }
}

/** Items that are in no block although they should, or in more than one. */
async function strayItems(q: Queryable, chain: Chain): Promise<string[]> {
  const findings = (await q.rows(overdue(chain))).map(
    ({ id }) => `${chain.noun} ${id} is in no block after a minute: start the service, which seals`,
  )
  const { items, waiting, sealed } = await q.one(counts(chain))
  if (items === waiting + sealed) return findings
  const lost = await q.rows(unsealed(chain))
  const twice = await q.rows(sealedTwice(chain))
  return [
    ...findings,
    `${chain.name}: of ${items} items ${sealed} are in blocks and ${waiting} wait for one`,
    ...lost.map(({ id }) => `${chain.noun} ${id} is in no block and does not wait for one`),
    ...twice.map(({ id }) => `${chain.noun} ${id} is in more than one block`),
  ]
}

interface Check {
  chain: Chain
  key: Buffer
  keyedFrom: bigint | null
}

async function verifyBlock(
  q: Queryable,
  { chain, key, keyedFrom }: Check,
  block: Block,
  previous: { number: bigint; version: number; hash: string },
): Promise<string[]> {
  const findings: string[] = []
  if (
    block.version < previous.version ||
    (keyedFrom !== null && block.version < KEYED && block.number >= keyedFrom)
  )
    findings.push(
      `${chain.name} block ${block.number} is not keyed, as all from block ${keyedFrom ?? previous.number} on must be`,
    )
  if (block.number !== previous.number + 1n)
    findings.push(`${chain.name} block ${previous.number + 1n} is missing`)
  if (block.previousHash !== previous.hash)
    findings.push(`${chain.name} block ${block.number} does not follow the block before it`)
  const found = new Map((await chain.read(q, block.items)).map(item => [item.id, item]))
  for (const id of block.items) {
    const item = found.get(id)
    if (!item) findings.push(`${chain.noun} ${id} of block ${block.number} is missing`)
    else if (item.stored !== item.computed)
      findings.push(`${chain.noun} ${id} was changed: its content does not match its hash`)
    findings.push(...(item?.findings ?? []))
  }
  const hashes = new Map([...found].map(([id, item]) => [id, item.computed]))
  if (blockHash(block, hashes, key) !== block.hash)
    findings.push(`${chain.name} block ${block.number} does not match its hash`)
  return findings
}

// In one statement, so that it sees one moment of a service that seals meanwhile.
const counts = (chain: Chain) => sql<{ items: bigint; waiting: bigint; sealed: bigint }>`
  select (select count(*) from ${identifier(chain.table)}) as items, (select count(*) from ${identifier(`${chain.prefix}_unsealed`)}) as waiting,
    (select coalesce(sum(cardinality(items)), 0)::bigint from ${identifier(`${chain.prefix}_block`)}) as sealed`

// What waits for less than a minute is on its way.
const overdue = (chain: Chain) => sql<{ id: string }>`
  select item.id from ${identifier(`${chain.prefix}_unsealed`)} waiting join ${identifier(chain.table)} item on item.id = waiting.item_id
  where item.recorded_at < clock_timestamp() - interval '1 minute' order by item.id limit ${MANY}`

const unsealed = (chain: Chain) => sql<{ id: string }>`
  select item.id from ${identifier(chain.table)} item
  where not exists (select from ${identifier(`${chain.prefix}_unsealed`)} waiting where waiting.item_id = item.id)
    and not exists (select from (select unnest(items) as id from ${identifier(`${chain.prefix}_block`)}) sealed where sealed.id = item.id)
  order by item.id limit ${MANY}`

const sealedTwice = (chain: Chain) => sql<{ id: string }>`
  select id from (select unnest(items) as id from ${identifier(`${chain.prefix}_block`)}) sealed group by id having count(*) > 1 limit ${MANY}`
