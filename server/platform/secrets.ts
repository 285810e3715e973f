import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Queryable } from './db.ts'
import { sql } from './sql.ts'

const CIPHER = 'aes-256-gcm'

/** Encrypts what the database must not hold in the clear, with keys derived from one master key. */
export class Secrets {
  readonly #master: Buffer

  constructor(master: Buffer) {
    this.#master = master
  }

  /** 32 bytes for one purpose; the same label gives the same key. */
  derive(label: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#master, '', `svc/${label}`, 32))
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
    const decipher = createDecipheriv(CIPHER, this.derive('seal'), bytes.subarray(0, 12)).setAAD(Buffer.from(context))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  }

  /** A secret that is made once and kept sealed in the database: every instance reads the same. */
  async stored(db: Queryable, name: string, make: () => string): Promise<string> {
    const context = `stored/${name}`
    await db.run(sql`insert into platform_secret (name, sealed, created_at)
      values (${name}, ${this.seal(make(), context)}, ${new Date()}) on conflict (name) do nothing`)
    const { sealed } = await db.one(sql<{ sealed: string }>`select sealed from platform_secret where name = ${name}`)
    try {
      return this.open(sealed, context)
    } catch (cause) {
      throw new Error('The master key does not fit this database. Set SVC_MASTER_KEY to the key that it was made with, or restore master.key in the data folder.', { cause })
    }
  }
}

/** The master key: of the environment, else of `<dataDir>/master.key`, made on first start (mode 0600). */
export async function openSecrets(dataDir: string, fromEnvironment?: string): Promise<Secrets> {
  return new Secrets(Buffer.from(fromEnvironment ?? await keyFile(dataDir), 'hex'))
}

async function keyFile(dataDir: string): Promise<string> {
  const path = join(dataDir, 'master.key')
  const existing = await readFile(path, 'utf8').catch(() => null)
  if (existing) return existing.trim()
  await mkdir(dataDir, { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, randomBytes(32).toString('hex') + '\n', { mode: 0o600 })
  await chmod(draft, 0o600)
  // link fails when another process was first: then its key counts.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => { if (error.code !== 'EEXIST') throw error })
  await unlink(draft)
  return (await readFile(path, 'utf8')).trim()
}

/** Compares secrets by their digests, so that the time tells nothing of either, not even its length. */
export const sameText = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other))
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()
