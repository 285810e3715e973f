import { createCipheriv, createDecipheriv, createHmac, randomBytes, scrypt } from 'node:crypto'

/** The master key in a backup, encrypted with AES-256-GCM under a key that scrypt (RFC 7914) derives from a passphrase. */
export interface SealedKey {
  kdf: 'scrypt'
  cost: number
  blockSize: number
  parallelization: number
  salt: string
  cipher: 'aes-256-gcm'
  iv: string
  tag: string
  sealed: string
}

/** What a passphrase opens: the master key (64 hex digits), and the signature of the file's digest. */
export interface BackupKey {
  masterKey: string
  sign(digest: string): string
}

/** A shorter passphrase could be found by trying all. */
export const SHORTEST_PASSPHRASE = 12
/** 128 MiB of memory for each guess, about half a second. */
const COST = { cost: 2 ** 17, blockSize: 8, parallelization: 1 }
const CIPHER = 'aes-256-gcm'
const MAX_MEMORY = 1024 ** 3

export class WrongPassphrase extends Error {
  constructor() {
    super('the passphrase is wrong for this backup')
  }
}

export async function sealMasterKey(
  masterKey: string,
  passphrase: string,
): Promise<{ sealed: SealedKey; key: BackupKey }> {
  const salt = randomBytes(32)
  const derived = await derive(passphrase, { ...COST, salt })
  const iv = randomBytes(12)
  const cipher = createCipheriv(CIPHER, derived.encryption, iv)
  const sealed = Buffer.concat([cipher.update(Buffer.from(masterKey, 'hex')), cipher.final()])
  const [saltText, ivText, tag, text] = [salt, iv, cipher.getAuthTag(), sealed].map(bytes =>
    bytes.toString('base64'),
  ) as [string, string, string, string]
  return {
    sealed: { kdf: 'scrypt', ...COST, salt: saltText, cipher: CIPHER, iv: ivText, tag, sealed: text },
    key: { masterKey, sign: signWith(derived.signature) },
  }
}

/** Throws WrongPassphrase. */
export async function openMasterKey(key: SealedKey, passphrase: string): Promise<BackupKey> {
  const derived = await derive(passphrase, { ...key, salt: Buffer.from(key.salt, 'base64') })
  const decipher = createDecipheriv(CIPHER, derived.encryption, Buffer.from(key.iv, 'base64'))
  try {
    decipher.setAuthTag(Buffer.from(key.tag, 'base64'))
    const masterKey = Buffer.concat([
      decipher.update(Buffer.from(key.sealed, 'base64')),
      decipher.final(),
    ]).toString('hex')
    return { masterKey, sign: signWith(derived.signature) }
  } catch {
    throw new WrongPassphrase()
  }
}

interface Derivation {
  cost: number
  blockSize: number
  parallelization: number
  salt: Buffer
}

async function derive(
  passphrase: string,
  { salt, cost, blockSize, parallelization }: Derivation,
): Promise<{ encryption: Buffer; signature: Buffer }> {
  const options = { N: cost, r: blockSize, p: parallelization, maxmem: MAX_MEMORY }
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, 64, options, (error, derived) =>
      error ? reject(error) : resolve(derived),
    )
  })
  return { encryption: bytes.subarray(0, 32), signature: bytes.subarray(32) }
}

const signWith =
  (key: Buffer) =>
  (digest: string): string =>
    createHmac('sha256', key).update(digest).digest('hex')
