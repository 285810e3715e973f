import type { Page } from '#platform/http/schema'
import { part, sql, type SqlPart } from '#platform/kernel/sql'

export interface ArtifactRow {
  id: string
  status: 'UPLOADING' | 'READY'
  accountId: string
  organizationId: string | null
  agentId: string | null
  name: string
  mimeType: string
  bytes: bigint
  sha256: string | null
  chunks: number
  masterKeyId: string
  wrappedKey: Buffer
  uploadBy: Date | null
  createdAt: Date
}
export interface ListedArtifactRow extends ArtifactRow {
  isDelivered: boolean
}
export interface MasterKeyRow {
  id: string
  sealed: string
}

/** The key that wraps new data keys; a rotation waits for the transaction that uses it. */
export const currentMasterKey = () =>
  sql<MasterKeyRow>`select id, sealed from vault_master_key where retired_at is null for share`
/** The data key of an artifact, with the master key that wraps it. */
export const wrappedKeyOf = (artifactId: string) => sql<MasterKeyRow & { wrappedKey: Buffer }>`
  select k.id, k.sealed, a.wrapped_key from vault_artifact a join vault_master_key k on k.id = a.master_key_id
  where a.id = ${artifactId}`
export const insertMasterKey = ({ id, sealed }: MasterKeyRow, now: Date) => sql`
  insert into vault_master_key (id, sealed, created_at) values (${id}, ${sealed}, ${now}) on conflict do nothing`
export const retireMasterKey = (now: Date) =>
  sql`update vault_master_key set retired_at = ${now} where retired_at is null`
/** Locks artifacts whose data keys a retired master key wraps. */
export const lockOldArtifacts = (limit: number) => sql<{ id: string }>`
  select id from vault_artifact
  where master_key_id in (select id from vault_master_key where retired_at is not null) order by id limit ${limit} for update`
export const rewrap = (id: string, masterKeyId: string, wrappedKey: Buffer) => sql`
  update vault_artifact set master_key_id = ${masterKeyId}, wrapped_key = ${wrappedKey} where id = ${id}`
export const deleteRetiredKeys = () => sql`
  delete from vault_master_key k where retired_at is not null and not exists (select from vault_artifact where master_key_id = k.id)`

/** One upload of an account begins after the other: their reservations add up. */
export const lockQuota = (accountId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`vault quota ${accountId}`}, 0))`
export const usedBy = (accountId: string) => sql<{ used: bigint }>`
  select coalesce(sum(bytes), 0)::bigint as used from vault_artifact where account_id = ${accountId} and is_counted`
/** The deliveries with files that count for the quota of an account. */
export const countedDeliveries = (accountId: string) => sql<{ deliveryId: string }>`
  select distinct l.delivery_id from vault_artifact a join vault_link l on l.artifact_id = a.id
  where a.account_id = ${accountId} and a.is_counted`
// In the order of ids, as deliveries lock them; one that is locked counts until the next time.
export const stopCounting = (accountId: string, deliveryIds: readonly string[]) => sql`
  update vault_artifact set is_counted = false where id in (
    select id from vault_artifact a where account_id = ${accountId} and is_counted
      and exists (select from vault_link l where l.artifact_id = a.id and l.delivery_id = any(${deliveryIds}::uuid[]))
    order by id for update skip locked)`

export const insertArtifact = (row: ArtifactRow) => sql`
  insert into vault_artifact (id, status, account_id, organization_id, agent_id, name, mime_type, bytes, master_key_id, wrapped_key, upload_by, created_at)
  values (${row.id}, ${row.status}, ${row.accountId}, ${row.organizationId}, ${row.agentId}, ${row.name}, ${row.mimeType}, ${row.bytes},
    ${row.masterKeyId}, ${row.wrappedKey}, ${row.uploadBy}, ${row.createdAt})`
export const insertChunk = (artifactId: string, number: number, sealed: Buffer) => sql`
  insert into vault_chunk (artifact_id, number, sealed) values (${artifactId}, ${number}, ${sealed})`
export const finishArtifact = (
  id: string,
  { bytes, sha256, chunks }: { bytes: bigint; sha256: string; chunks: number },
) => sql<ArtifactRow>`
  update vault_artifact set status = 'READY', bytes = ${bytes}, sha256 = ${sha256}, chunks = ${chunks}, upload_by = null
  where id = ${id} and status = 'UPLOADING' returning *`

export const artifactById = (id: string) =>
  sql<ArtifactRow>`select * from vault_artifact where id = ${id} and status = 'READY'`
export const lockArtifact = (id: string) =>
  sql<ArtifactRow>`select * from vault_artifact where id = ${id} and status = 'READY' for update`
/** A page of the artifacts that fit `holder`, a condition on `a`, the newest first: ids are in the order of time. */
export const listArtifacts = (holder: SqlPart, { limit, offset }: Page) => sql<ListedArtifactRow>`
  select a.*, exists (select from vault_link l where l.artifact_id = a.id) as is_delivered
  from vault_artifact a where ${holder} and a.status = 'READY' order by a.id desc limit ${limit} offset ${offset}`
export const countArtifacts = (holder: SqlPart, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (
    select from vault_artifact a where ${holder} and a.status = 'READY' limit ${atMost}) as found`
export const chunkOf = (artifactId: string, number: number) =>
  sql<{
    sealed: Buffer
  }>`select sealed from vault_chunk where artifact_id = ${artifactId} and number = ${number}`
export const deleteArtifact = (id: string) => sql`delete from vault_artifact where id = ${id}`
export const deleteAbandoned = (id: string, now: Date) => sql`
  delete from vault_artifact where id = ${id} and status = 'UPLOADING' and upload_by <= ${now}`
export const isLinked = (id: string) =>
  sql<{ linked: boolean }>`select exists (select from vault_link where artifact_id = ${id}) as linked`
export const insertLink = (artifactId: string, deliveryId: string) => sql`
  insert into vault_link (artifact_id, delivery_id) values (${artifactId}, ${deliveryId}) on conflict do nothing`

export const moveArtifactsOf = ({ agentId, accountId }: { agentId: string; accountId: string }) => sql`
  update vault_artifact set account_id = ${accountId} where id in (
    select id from vault_artifact where agent_id = ${agentId} and account_id <> ${accountId} order by id for update)`

export const deleteUnlinkedOf = (accountId: string) => sql`
  delete from vault_artifact a where account_id = ${accountId} and not exists (select from vault_link l where l.artifact_id = a.id)`

/** Erases the artifacts of some deliveries, except those that other deliveries contain. `deliveries` is a subquery of ids. */
export const eraseArtifactsOf = (deliveries: SqlPart) => [
  sql`delete from vault_artifact a
    where exists (select from vault_link l where l.artifact_id = a.id and l.delivery_id in (${deliveries}))
      and not exists (select from vault_link l where l.artifact_id = a.id and l.delivery_id not in (${deliveries}))`,
  sql`delete from vault_link where delivery_id in (${deliveries})`,
]

/** The deliveries that an artifact is part of, as a subquery. */
export const deliveriesWith = (artifactId: string) =>
  part`select delivery_id from vault_link where artifact_id = ${artifactId}::uuid`
