import { credentials, IDENTITY } from '#identity'
import type { RoutingKeyPrincipal } from '#platform/http/principal'
import { Loop } from '#platform/kernel/background/loop'
import { after, MINUTE, SECOND } from '#platform/kernel/clock'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { FORCED_TIER, type KeyRing, type RoutingKey } from '../core/key.ts'
import { VIRTUAL_MODELS, type Catalog } from '../core/model.ts'
import { configOf } from './config.ts'
import { heldKeys, touchKeys, type HeldKeyRow } from './sql.ts'

/** Revocations, changes and suspensions take effect within it on every instance. From the start of the query. */
const TTL_MS = 900
/** How often the keys in use are read again, so that no request waits for it. */
const REFRESH_MS = 350
/** A key counts as in use until then. */
const IN_USE_MS = 30 * SECOND
/** A key that was unused for so long is not held any more; longer than a request lasts. */
const HELD_MS = 30 * MINUTE
const UNKNOWN_MAX = 20_000
/** Keys of one query. */
const BATCH = 500

interface Held {
  hash: Buffer
  row: HeldKeyRow
  key: RoutingKey
  /** When the query began that read it. */
  readAt: number
  usedAt: number
  /** Used since its last use was written. */
  isUsed: boolean
}

interface Wanted extends PromiseWithResolvers<Held | undefined> {
  hash: Buffer
}

/**
 * The keys in use, in memory. One query at a time reads all keys that are wanted: many wrong keys cost few queries, and keys
 * in use are read again before they are out of date.
 */
export class HeldKeys implements KeyRing {
  readonly #services: Pick<Services, 'db' | 'clock' | 'log'>
  readonly #catalog: Pick<Catalog, 'models'>
  readonly #byHash = new Map<string, Held>()
  readonly #byId = new Map<string, Held>()
  /** Hashes that no key has, and when the query began that said so. */
  readonly #unknown = new Map<string, number>()
  readonly #wanted = new Map<string, Wanted>()
  /** The query for wanted keys that is under way. */
  #reading: { epoch: number; batch: ReadonlyMap<string, Wanted> } | null = null
  #epoch = 0
  readonly #refresher: Loop

  constructor(services: Pick<Services, 'db' | 'clock' | 'log'>, catalog: Pick<Catalog, 'models'>) {
    this.#services = services
    this.#catalog = catalog
    this.#refresher = new Loop('routing keys', REFRESH_MS, services.log, () => this.#refresh())
  }

  start(): void {
    this.#refresher.start()
  }

  stop(): Promise<void> {
    return this.#refresher.stop()
  }

  keyOf(keyId: string): RoutingKey {
    const held = this.#byId.get(keyId)
    if (!held) throw apiError(IDENTITY.INVALID_API_KEY)
    return held.key
  }

  /** Proves the text of a key. ApiError 401 if it is unknown, revoked or expired, 403 if its account is suspended. */
  async prove(text: string): Promise<RoutingKeyPrincipal> {
    if (!credentials.isWellFormedKey(text)) throw credentials.malformedKey()
    const hash = credentials.hashOfKey(text)
    const current = this.#current(hash.toString('base64'))
    const held = current === undefined ? await this.#want(hash) : current
    if (!held) throw apiError(IDENTITY.INVALID_API_KEY)
    requireUsable(held.row, this.#services.clock.now())
    held.usedAt = performance.now()
    held.isUsed = true
    return { via: 'routing-key', accountId: held.row.accountId, keyId: held.row.id }
  }

  /** From now on this instance asks the database again about every key. */
  invalidate(): void {
    this.#epoch++
    this.#unknown.clear()
    // Not removed: requests under way still use them.
    for (const held of this.#byHash.values()) held.readAt = -Infinity
  }

  /** The key if it is up to date, null if there is none, undefined if that is not known. */
  #current(name: string): Held | null | undefined {
    const oldest = performance.now() - TTL_MS
    const held = this.#byHash.get(name)
    if (held) return held.readAt > oldest ? held : undefined
    return (this.#unknown.get(name) ?? -Infinity) > oldest ? null : undefined
  }

  #want(hash: Buffer): Promise<Held | undefined> {
    const name = hash.toString('base64')
    // A query that began before a change is not for those who ask after it.
    const underWay = this.#reading?.epoch === this.#epoch ? this.#reading.batch.get(name) : undefined
    if (underWay) return underWay.promise
    const wanted = this.#wanted.get(name) ?? { hash, ...Promise.withResolvers<Held | undefined>() }
    this.#wanted.set(name, wanted)
    if (!this.#reading) void this.#readWanted()
    return wanted.promise
  }

  async #readWanted(): Promise<void> {
    while (this.#wanted.size) {
      const batch = new Map([...this.#wanted].slice(0, BATCH))
      for (const name of batch.keys()) this.#wanted.delete(name)
      this.#reading = { epoch: this.#epoch, batch }
      try {
        await this.#read([...batch.values()].map(({ hash }) => hash))
        for (const [name, { resolve }] of batch) resolve(this.#byHash.get(name))
      } catch (error) {
        for (const [, { reject }] of batch) reject(error)
      }
    }
    this.#reading = null
  }

  async #read(hashes: readonly Buffer[]): Promise<void> {
    const began = performance.now()
    const epoch = this.#epoch
    const rows = await this.#services.db.rows(heldKeys(hashes))
    // What was read before a change is valid only for requests from before it.
    const readAt = epoch === this.#epoch ? began : -Infinity
    const found = new Map(rows.map(row => [row.hash, row]))
    for (const hash of hashes) {
      const name = hash.toString('base64')
      const row = found.get(name)
      if (row) this.#hold(hash, row, readAt)
      else this.#setUnknown(name, readAt)
    }
  }

  #hold(hash: Buffer, row: HeldKeyRow, readAt: number): void {
    const before = this.#byHash.get(row.hash)
    const { usedAt = performance.now(), isUsed = false } = before ?? {}
    const held = { hash, row, key: keyOfRow(row, this.#catalog), readAt, usedAt, isUsed }
    this.#byHash.set(row.hash, held)
    this.#byId.set(row.id, held)
  }

  #setUnknown(name: string, readAt: number): void {
    this.#unknown.delete(name)
    this.#unknown.set(name, readAt)
    if (this.#unknown.size > UNKNOWN_MAX) this.#unknown.delete(this.#unknown.keys().next().value as string)
  }

  async #refresh(): Promise<void> {
    const now = performance.now()
    const inUse: Buffer[] = []
    for (const [name, { hash, row, usedAt }] of this.#byHash) {
      if (usedAt > now - IN_USE_MS) inUse.push(hash)
      else if (usedAt < now - HELD_MS) {
        this.#byHash.delete(name)
        this.#byId.delete(row.id)
      }
    }
    await this.#writeUses()
    for (let from = 0; from < inUse.length; from += BATCH) await this.#read(inUse.slice(from, from + BATCH))
  }

  // At most once a minute for each key; no request waits for it.
  async #writeUses(): Promise<void> {
    const { db, clock } = this.#services
    const real = clock.real()
    const staleBefore = after(real, -MINUTE)
    const isStale = ({ row: { lastUsedAt } }: Held) => !lastUsedAt || lastUsedAt <= staleBefore
    const used = [...this.#byHash.values()].filter(held => held.isUsed && isStale(held))
    if (!used.length) return
    for (const held of used) held.isUsed = false
    await db.run(
      touchKeys(
        used.map(({ row }) => row.id),
        real,
        staleBefore,
      ),
    )
  }
}

/** Refuses a key that is revoked or expired, or whose account is deleted or suspended. `now` is business time. */
function requireUsable({ status, accountStatus, accountId, expiresAt }: HeldKeyRow, now: Date): void {
  if (status === 'REVOKED' || accountStatus === 'DELETED') throw apiError(IDENTITY.INVALID_API_KEY)
  if (expiresAt && expiresAt <= now) throw apiError(IDENTITY.INVALID_API_KEY, { hint: 'The key has expired' })
  if (accountStatus === 'SUSPENDED')
    throw apiError(IDENTITY.ACCOUNT_SUSPENDED, {
      hint: 'This account has been suspended by an administrator',
      accountId,
    })
}

const keyOfRow = (row: HeldKeyRow, catalog: Pick<Catalog, 'models'>): RoutingKey => ({
  id: row.id,
  accountId: row.accountId,
  limits: {
    rpm: row.rpm,
    tpm: row.tpm,
    parallel: row.parallel,
    dailyUsd: row.dailyUsd,
    weeklyUsd: row.weeklyUsd,
    monthlyUsd: row.monthlyUsd,
    endUserDailyUsd: row.endUserDailyUsd,
  },
  allowedModels: modelsBehind(row.allowedModels, catalog),
  maxPriceUsd: row.maxPriceUsd,
  errorFormat: row.errorFormat,
  cacheSeconds: row.cacheSeconds,
  redactPii: row.redactPii,
  expiresAt: row.expiresAt,
  config: configOf({ ...row, maxPriceUsd: row.accountMaxPriceUsd }),
})

/** A virtual name stands for the models that it selects from. An empty list stands for all. */
function modelsBehind(names: readonly string[], catalog: Pick<Catalog, 'models'>): readonly string[] {
  const virtual = VIRTUAL_MODELS.filter(name => names.includes(name))
  if (!virtual.length) return names
  const tiers = virtual.map(name => FORCED_TIER[name])
  // A name without a tier selects from all models that answer prompts.
  const isAny = tiers.includes(undefined)
  const selected = catalog.models().filter(({ tier }) => isAny || tiers.includes(tier))
  return [...new Set([...names, ...selected.map(({ id }) => id)])]
}
