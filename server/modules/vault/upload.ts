import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { after, HOUR } from '#platform/kernel/clock'
import type { Db, Tx } from '#platform/kernel/db'
import { apiError, COMMON, invalid } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { boundAgent, boundOrganization, type RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { CHUNK_BYTES, sealChunk } from './cipher.ts'
import { VAULT } from './errors.ts'
import { newDataKey } from './keys.ts'
import { requireQuota } from './quota.ts'
import * as statements from './sql.ts'
import type { ArtifactRow } from './sql.ts'

const MEGABYTE = 1_000_000
export const BYTES_MAX = 100 * MEGABYTE
/** Longer than any request lasts: what is left of an upload then was cut off by a crash. */
const UPLOAD_TIME = HOUR

export interface Upload {
  name: string
  mimeType: string
  /** As the client expects it, in hex. */
  sha256?: string
  /** As the client announces it. */
  length?: number
  content: Readable
}

type Parts = Pick<Services, 'db' | 'secrets' | 'config'>

/**
 * Stores a file encrypted, chunk by chunk as it arrives. An upload that ends early or is refused leaves nothing. Errors:
 * 413 above 100 MB, 403 above the quota of the account, 400 for an empty file, for another sha256 than announced, and where
 * the file was deleted meanwhile.
 */
export async function storeArtifact(
  services: Parts,
  ctx: RequestContext,
  upload: Upload,
): Promise<ArtifactRow> {
  const { db } = services
  if ((upload.length ?? 0) > BYTES_MAX) throw tooLarge()
  const { id, key } = await db.transaction(tx => beginUpload(tx, services, { ctx, upload }))
  try {
    const stored = await storeChunks(db, { id, key }, upload.content)
    if (upload.sha256 !== undefined && upload.sha256.toLowerCase() !== stored.sha256)
      throw apiError(VAULT.ARTIFACT_MISMATCH, { hint: `The sha256 of what arrived is ${stored.sha256}` })
    return await db.one(statements.finishArtifact(id, stored))
  } catch (error) {
    const wasThere = (await db.run(statements.deleteArtifact(id))) > 0
    if (upload.content.readableAborted) throw endedEarly(error)
    throw wasThere ? error : deletedMeanwhile(error)
  }
}

const endedEarly = (cause: unknown) =>
  apiError(COMMON.BAD_REQUEST, { hint: 'The upload ended before its content', cause })

const deletedMeanwhile = (cause: unknown) =>
  apiError(COMMON.BAD_REQUEST, {
    hint: 'The file was deleted before its upload ended: with its account, or because it took an hour',
    cause,
  })

const tooLarge = () =>
  apiError(COMMON.BODY_TOO_LARGE, {
    hint: 'A file may have 100 MB at most',
    // What the client still sends is not read.
    headers: { connection: 'close' },
  })

interface Begin {
  ctx: RequestContext
  upload: Upload
}

/** Reserves what the upload may need, so that uploads at the same time cannot exceed the quota together. */
async function beginUpload(
  tx: Tx,
  { secrets, config }: Parts,
  { ctx: { principal }, upload }: Begin,
): Promise<{ id: string; key: Buffer }> {
  const id = newId()
  const { accountId } = principal
  const bytes = BigInt(upload.length || BYTES_MAX)
  await requireQuota(tx, { accountId, bytes, quota: BigInt(config.VAULT_QUOTA_MB * MEGABYTE) })
  const { key, ...wrapped } = await newDataKey(tx, secrets, id)
  await tx.run(
    statements.insertArtifact({
      ...wrapped,
      id,
      status: 'UPLOADING',
      accountId,
      organizationId: boundOrganization(principal),
      agentId: boundAgent(principal),
      name: upload.name,
      mimeType: upload.mimeType,
      bytes,
      sha256: null,
      chunks: 0,
      uploadBy: after(tx.now, UPLOAD_TIME),
      createdAt: tx.now,
    }),
  )
  return { id, key }
}

async function storeChunks(db: Db, { id, key }: { id: string; key: Buffer }, content: Readable) {
  const hash = createHash('sha256')
  let [bytes, chunks] = [0, 0]
  for await (const { plain, isLast } of chunksOf(content)) {
    bytes += plain.length
    if (bytes > BYTES_MAX) throw tooLarge()
    hash.update(plain)
    const place = { artifactId: id, number: chunks++, isLast }
    await db.run(statements.insertChunk(id, place.number, sealChunk(key, place, plain)))
  }
  if (bytes === 0) throw invalid('the body is empty: send the content of the file')
  return { bytes: BigInt(bytes), sha256: hash.digest('hex'), chunks }
}

/** The content in chunks of one size; the last one is held back until it is known to be the last. */
async function* chunksOf(content: Readable): AsyncGenerator<{ plain: Buffer; isLast: boolean }> {
  let pending: Buffer[] = []
  let size = 0
  // The response to a refused upload needs the connection, which a destroyed request would close.
  for await (const part of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    pending.push(part)
    size += part.length
    while (size > CHUNK_BYTES) {
      const all = Buffer.concat(pending)
      yield { plain: all.subarray(0, CHUNK_BYTES), isLast: false }
      pending = [all.subarray(CHUNK_BYTES)]
      size -= CHUNK_BYTES
    }
  }
  if (size) yield { plain: Buffer.concat(pending), isLast: true }
}
