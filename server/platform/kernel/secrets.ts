import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  randomUUID,
  timingSafeEqual,
} from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db, Queryable, Tx } from './db.ts'
import { sql } from './sql.ts'

const CIPHER = 'aes-256-gcm'
const MASTER_KEY_LOCK = 727_013

/** Encrypts what the database must not hold in the clear, with keys derived from one master key. */
export class Secrets {
  readonly #master: Buffer
  /** By label: to derive one takes longer than to seal a mail with it. */
  readonly #derived = new Map<string, Buffer>()

  constructor(master: Buffer) {
    this.#master = master
  }

  /** 32 bytes for one purpose; the same label gives the same key. It stays in memory, so that labels must be few. */
  derive(label: string): Buffer {
    let key = this.#derived.get(label)
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.#master, '', `svc/${label}`, 32))
      this.#derived.set(label, key)
    }
    return key
  }

  /** Text sealed for `context`; it opens only with the same master key and context. */
  seal(plain: string, context: string): string {
    const iv = randomBytes(12)
    const cipher = createCipheriv(CIPHER, this.derive('seal'), iv).setAAD(Buffer.from(context))
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  open(sealed: string, context: string): string {
    const bytes = Buffer.from(sealed, 'base64url')
    const decipher = createDecipheriv(CIPHER, this.derive('seal'), bytes.subarray(0, 12)).setAAD(
      Buffer.from(context),
    )
    decipher.setAuthTag(bytes.subarray(12, 28))
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  }

  /** Opens a row of `platform_secret`; throws when it was sealed with another master key. */
  openStored({ name, sealed }: { name: string; sealed: string }): string {
    return this.open(sealed, contextOf(name))
  }

  /** A secret that is created once and stored sealed in the database: every instance reads the same. */
  async stored(db: Queryable, name: string, make: () => string): Promise<string> {
    const existing = await this.find(db, name)
    if (existing !== undefined) return existing
    await db.run(sql`insert into platform_secret (name, sealed, created_at)
      values (${name}, ${this.seal(make(), contextOf(name))}, ${new Date()}) on conflict (name) do nothing`)
    const secret = await this.find(db, name)
    if (secret === undefined) throw new Error(`the stored secret ${name} was removed`)
    return secret
  }

  /** Throws if the stored secrets were sealed with another master key: what is sealed from now on could not be opened with theirs. */
  async requireMatch(db: Queryable): Promise<void> {
    const oldest = await db.maybe(
      sql<{ name: string }>`select name from platform_secret order by created_at, name limit 1`,
    )
    if (oldest) await this.find(db, oldest.name)
  }

  /** A stored secret; undefined while there is none. Throws if it was sealed with another master key. */
  async find(db: Queryable, name: string): Promise<string | undefined> {
    const row = await db.maybe(
      sql<{ sealed: string }>`select sealed from platform_secret where name = ${name}`,
    )
    try {
      return row && this.openStored({ name, sealed: row.sealed })
    } catch (cause) {
      throw new Error(
        'The master key does not match this database. Set SVC_MASTER_KEY to the key that it was made with, or restore master.key in the data folder.',
        { cause },
      )
    }
  }
}

const contextOf = (name: string): string => `stored/${name}`

/**
 * The secrets of the service: with the master key of SVC_MASTER_KEY, else of `<dataDir>/master.key`. Without either,
 * makes the key, but only for a database without stored secrets: any other key than its own would be wrong.
 */
export async function openSecrets(dataDir: string, db: Db, fromEnvironment?: string): Promise<Secrets> {
  return secretsOf(
    fromEnvironment ??
      (await readMasterKey(dataDir)) ??
      (await db.transaction(tx => makeMasterKey(tx, dataDir))),
  )
}

/** Secrets with this master key: 64 hex digits. */
export const secretsOf = (masterKey: string): Secrets => new Secrets(Buffer.from(masterKey, 'hex'))

const keyPath = (dataDir: string): string => join(dataDir, 'master.key')

/** The key of `<dataDir>/master.key`, as 64 hex digits; null if there is no such file. */
export async function readMasterKey(dataDir: string): Promise<string | null> {
  const path = keyPath(dataDir)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text !== null && !/^[0-9a-f]{64}$/i.test(text.trim()))
    throw new Error(`${path} is damaged: it must hold 64 hex digits. Restore it from a backup.`)
  return text === null ? null : text.trim()
}

/** Writes `<dataDir>/master.key` for its owner alone (mode 0600), whole or not at all. Fails if there is one. */
export async function writeMasterKey(dataDir: string, key: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const path = keyPath(dataDir)
  const draft = `${path}.${randomUUID()}`
  try {
    // On disk before the first secret that needs it.
    await writeFile(draft, `${key}\n`, { mode: 0o600, flush: true })
    await chmod(draft, 0o600)
    await link(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

// One start at a time. The first stored secret commits with the key, so that a start from another data folder, which
// waits for the lock, finds it.
async function makeMasterKey(tx: Tx, dataDir: string): Promise<string> {
  await tx.run(sql`select pg_advisory_xact_lock(${MASTER_KEY_LOCK})`)
  const existing = await readMasterKey(dataDir)
  if (existing) return existing
  const { used } = await tx.one(sql<{ used: boolean }>`select exists (select from platform_secret) as used`)
  if (used) {
    throw new Error(
      `The database exists, but its master key is missing. Restore ${keyPath(dataDir)}, or set SVC_MASTER_KEY to the key that the database was made with.`,
    )
  }
  const key = randomBytes(32).toString('hex')
  await secretsOf(key).stored(tx, 'platform/first', randomUUID)
  await writeMasterKey(dataDir, key)
  return key
}

/** Compares secrets by their digests, so that the time reveals nothing about either, not even its length. */
export const sameText = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
