import { Readable } from 'node:stream'
import { agentById, canOperate } from '#agents'
import { boundAgent, boundOrganization, type RequestContext } from '#platform/http/principal'
import type { Db, Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { openChunk } from './cipher.ts'
import { VAULT } from './errors.ts'
import { dataKeyOf } from './keys.ts'
import { artifactAccess } from './ports.ts'
import * as statements from './sql.ts'
import type { ArtifactRow } from './sql.ts'

const notFound = () => apiError(VAULT.ARTIFACT_NOT_FOUND)

/** An artifact that the caller may see, or with `content` open. 404 for an unknown one, 403 for any other caller. */
export async function readArtifact(
  q: Queryable,
  ctx: RequestContext,
  { id, what }: { id: string; what: 'metadata' | 'content' },
): Promise<ArtifactRow> {
  const artifact = isId(id) ? await q.maybe(statements.artifactById(id)) : undefined
  if (!artifact) throw notFound()
  if (await isHolder(q, ctx, artifact)) return artifact
  const granted = await artifactAccess.call(q, { artifactId: id, ctx })
  if (granted.includes('content') || (what === 'metadata' && granted.includes('metadata'))) return artifact
  throw apiError(COMMON.FORBIDDEN, {
    hint: granted.includes('metadata')
      ? 'The buyer can read it once the escrow is released'
      : 'The artifact belongs to another account',
  })
}

/** True if the caller uploaded it, or operates the agent that did. A bound key holds what it uploaded. */
async function isHolder(q: Queryable, ctx: RequestContext, artifact: ArtifactRow): Promise<boolean> {
  const { principal } = ctx
  if (artifact.agentId !== null) {
    const agent = await agentById(q, artifact.agentId)
    return agent !== undefined && canOperate(ctx, agent)
  }
  return (
    boundAgent(principal) === null &&
    artifact.accountId === principal.accountId &&
    [null, artifact.organizationId].includes(boundOrganization(principal))
  )
}

/** The content of an artifact, decrypted chunk by chunk as it is read. 404 if it was deleted meanwhile. */
export async function openContent(
  { db, secrets }: Pick<Services, 'db' | 'secrets'>,
  artifact: ArtifactRow,
): Promise<Readable> {
  const key = await dataKeyOf(db, secrets, artifact.id)
  if (!key) throw notFound()
  return Readable.from(plainChunks(db, key, artifact), { objectMode: false })
}

async function* plainChunks(db: Db, key: Buffer, { id, chunks }: ArtifactRow): AsyncGenerator<Buffer> {
  for (let number = 0; number < chunks; number++) {
    const { sealed } = await db.one(statements.chunkOf(id, number))
    yield openChunk(key, { artifactId: id, number, isLast: number === chunks - 1 }, sealed)
  }
}

/** Deletes an artifact of the caller. 409 for one that is part of a delivery. */
export async function deleteArtifact(tx: Tx, ctx: RequestContext, id: string): Promise<void> {
  const artifact = await lockHeld(tx, ctx, id)
  const { linked } = await tx.one(statements.isLinked(artifact.id))
  if (linked) throw apiError(VAULT.ARTIFACT_LINKED, { hint: 'A delivery contains it' })
  await tx.run(statements.deleteArtifact(artifact.id))
}

async function lockHeld(tx: Tx, ctx: RequestContext, id: string): Promise<ArtifactRow> {
  const artifact = isId(id) ? await tx.maybe(statements.lockArtifact(id)) : undefined
  if (!artifact) throw notFound()
  if (!(await isHolder(tx, ctx, artifact)))
    throw apiError(COMMON.FORBIDDEN, { hint: 'The artifact belongs to another account' })
  return artifact
}

/** What the service knows of a delivered artifact. */
export interface Verified {
  vaultId: string
  name: string
  sha256: string
  mimeType: string
  bytes: number
}

/** Makes artifacts of the caller part of a delivery, in the order of their ids. Returns what was verified of each. */
export async function linkArtifacts(
  tx: Tx,
  ctx: RequestContext,
  { ids, deliveryId }: { ids: readonly string[]; deliveryId: string },
): Promise<Map<string, Verified>> {
  const linked = new Map<string, Verified>()
  for (const id of [...new Set(ids)].sort()) {
    const { name, sha256, mimeType, bytes } = await lockHeld(tx, ctx, id)
    await tx.run(statements.insertLink(id, deliveryId))
    linked.set(id, { vaultId: id, name, sha256: sha256 ?? '', mimeType, bytes: Number(bytes) })
  }
  return linked
}

/** Timer: an upload was cut off by a crash. */
export async function dropAbandonedUpload(tx: Tx, id: string): Promise<void> {
  await tx.run(statements.deleteAbandoned(id, tx.now))
}

/** Erases what an account that is being deleted uploaded, except what deliveries contain: that follows its deal. */
export async function eraseVaultOf(tx: Tx, accountId: string): Promise<void> {
  await tx.run(statements.deleteUnlinkedOf(accountId))
}

/**
 * Makes what an agent uploaded belong to its owner, after a claim: it counts for the quota of the owner, even above it, and
 * does not end with the account of the creator.
 */
export async function moveArtifactsOfAgent(
  tx: Tx,
  agent: { agentId: string; accountId: string },
): Promise<void> {
  await tx.run(statements.moveArtifactsOf(agent))
}
