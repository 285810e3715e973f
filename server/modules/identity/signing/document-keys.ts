import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto'
import canonicalize from 'canonicalize'
import { after, DAY, HOUR, MINUTE } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { memoizePerService, type Services } from '#platform/kernel/services'
import { documentKeys, insertDocumentKey, lockDocumentKeys, type KeyRow } from './sql.ts'

/** Documents are valid for 24 hours; the rest is for clocks that differ. */
const VERIFIES_FOR = 25 * HOUR
/** Key sets may be cached for 5 minutes, so a key is published for longer than that before it signs. */
const PUBLISHED_BEFORE = 10 * MINUTE
const ROTATED_AFTER = 90 * DAY

/** A key of the service for documents: a secret for HMAC, and an Ed25519 pair whose public half is in the JWKS. */
export interface DocumentKey {
  kid: string
  signsFrom: Date
  hmac: Buffer
  privateKey: KeyObject
  jwk: Record<string, string>
}

/** The document as canonical JSON (RFC 8785). Throws for what JSON cannot express. */
export function canonicalJson(document: object): string {
  const text = canonicalize(document)
  if (text === undefined) throw new Error('not a JSON document')
  return text
}

/** A JWS in compact form (RFC 7515) over canonical JSON. `typ` names the kind of document. */
export function signText(key: DocumentKey, typ: string, text: string): string {
  const header = canonicalJson({ alg: 'EdDSA', kid: key.kid, typ })
  const input = `${Buffer.from(header).toString('base64url')}.${Buffer.from(text).toString('base64url')}`
  return `${input}.${sign(null, Buffer.from(input), key.privateKey).toString('base64url')}`
}

/** HMAC-SHA256 of a text, base64url. */
export const macOf = (key: DocumentKey, text: string): string =>
  createHmac('sha256', key.hmac).update(text).digest('base64url')

/** The document keys of a running service, in memory: `refresh` reads them again. */
class DocumentKeys {
  readonly #services: Services
  /** The newest first. */
  #keys: readonly DocumentKey[] = []

  constructor(services: Services) {
    this.#services = services
  }

  /** Reads the keys. Makes the first key, and the next one where the newest is 90 days old. */
  async refresh(): Promise<void> {
    const { db, clock } = this.#services
    const now = clock.now()
    const [newest] = await db.rows(documentKeys())
    if (!newest) await db.run(insertDocumentKey({ number: 1, signsFrom: now }, now))
    else if (newest.signsFrom < after(now, -ROTATED_AFTER)) await db.transaction(tx => addKey(tx))
    const rows = await db.rows(documentKeys())
    this.#keys = await Promise.all(rows.map(row => this.#open(db, row)))
  }

  async #open(q: Queryable, { number, signsFrom }: KeyRow): Promise<DocumentKey> {
    const stored = await this.#services.secrets.stored(q, `identity/document-key/${number}`, makeSecret)
    const { pem, hmac } = JSON.parse(stored) as { pem: string; hmac: string }
    const privateKey = createPrivateKey(pem)
    const { x = '' } = createPublicKey(pem).export({ format: 'jwk' })
    const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
    const jwk = { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' }
    return { kid, signsFrom, hmac: Buffer.from(hmac, 'base64url'), privateKey, jwk }
  }

  /** The key that signs at `now`. */
  active(now: Date): DocumentKey {
    const key = this.#keys.find(({ signsFrom }) => signsFrom <= now) ?? this.#keys.at(-1)
    if (!key) throw new Error('the document keys have not been read')
    return key
  }

  find(kid: unknown): DocumentKey | undefined {
    return this.#keys.find(key => key.kid === kid)
  }

  /** The public keys of documents that are valid at `now`, and of those that soon will be. */
  published(now: Date): Record<string, string>[] {
    // What a key signed last, it signed just before the next one took over.
    const isUseful = (_: DocumentKey, index: number) => {
      const next = this.#keys[index - 1]
      return !next || next.signsFrom > after(now, -VERIFIES_FOR)
    }
    return this.#keys.filter(isUseful).map(({ jwk }) => jwk)
  }
}

export type { DocumentKeys }

const makeSecret = (): string =>
  JSON.stringify({
    pem: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    hmac: randomBytes(32).toString('base64url'),
  })

/** Adds a key that will sign once every copy of the key set has it. Documents of the former keys stay valid. */
export async function addKey(tx: Tx): Promise<KeyRow> {
  await tx.run(lockDocumentKeys())
  const [newest] = await tx.rows(documentKeys())
  // A second rotation before the first took effect changes nothing.
  if (newest && newest.signsFrom > tx.now) return newest
  const key = { number: (newest?.number ?? 0) + 1, signsFrom: after(tx.now, PUBLISHED_BEFORE) }
  await tx.run(insertDocumentKey(key, tx.now))
  return key
}

/** The document keys of this service, read at its start and again every minute. */
export const documentKeysOf = memoizePerService((services: Services) => new DocumentKeys(services))
