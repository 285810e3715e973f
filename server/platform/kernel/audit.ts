import { randomToken, newId } from './id.ts'
import {
  digest,
  lastHead,
  sealChain,
  storable,
  storableText,
  verifyChain,
  type Chain,
  type ChainItem,
  type ChainReport,
  type Head,
  type Json,
} from './chain/chain.ts'
import type { Db, Queryable, Tx } from './db.ts'
import { TOTAL_CAP, type Page } from '../http/schema.ts'
import type { Secrets } from './secrets.ts'
import { credentialKind, isAuthenticated, type PublicContext } from '../http/principal.ts'
import { joined, json, part, sql, type SqlPart } from './sql.ts'

/** An event as it is stored. `details`, `ip` and `requestId` may name a person: they can be erased, the rest stays. */
interface AuditEvent {
  action: string
  actorId: string | null
  actorKind: string
  /** The kind of thing that it was done to, such as `agent`. */
  target?: string
  targetId?: string | null
  details?: Record<string, unknown>
  ip?: string | null
  /** As the caller chose it. */
  requestId?: string | null
  /** Accounts other than actor and target that `details` may name: the details are erased with each of them. */
  about?: readonly (string | null | undefined)[]
}

/** The part of an event that stays for good, in the order in which it is hashed. */
interface Core {
  id: string
  at: Date
  action: string
  actorKind: string
  actorId: string | null
  target: string | null
  targetId: string | null
  /** Only of events older than its place among the private parts. */
  requestId: string | null
  privateHash: string | null
}

interface Private {
  ip: string | null
  details: Json
  salt: string
  requestId: string | null
}

const coreHash = (core: Core): string =>
  digest([
    1,
    core.id,
    core.at.toISOString(),
    core.action,
    core.actorKind,
    core.actorId,
    core.target,
    core.targetId,
    core.requestId,
    core.privateHash,
  ])
const privateHash = ({ salt, ip, details, requestId }: Private): string =>
  digest(requestId === null ? [1, salt, ip, storable(details)] : [2, salt, ip, storable(details), requestId])
const text = (value: string | null | undefined): string | null => (value ? storableText(value) : null)

/** What was done, and to what. */
export interface AuditInfo {
  /** The kind and id of the object, such as `['agent', agentId]`. */
  target?: readonly [kind: string, id: string | null]
  details?: Record<string, unknown>
  /** Accounts beside actor and target that `details` may name: the details are erased with each of them. */
  about?: readonly (string | null | undefined)[]
}

/** Who did something where no principal did: the holder of an emailed link, an admin who approved, the service itself. */
export interface Attribution {
  by: readonly [kind: string, accountId: string | null]
  ip?: string
  requestId?: string
}

/** Who an event names: the principal of the request, or whom it is attributed to. */
export type Author = PublicContext | Attribution

/** The author of what happens without a request: a timer, the start of the service. */
export const SYSTEM: Attribution = { by: ['system', null] }

/** An actor other than the principal of the request, such as the account of an emailed link. */
export const attribute = (ctx: PublicContext, kind: string, accountId: string): Attribution => ({
  by: [kind, accountId],
  ip: ctx.ip,
  requestId: ctx.requestId,
})

/**
 * Writes one event to the audit log in the transaction of the command itself: it exists exactly if the command took
 * effect. `action` is a name such as `agent.key_revoked`.
 */
export async function audit(
  tx: Tx,
  author: Author,
  action: string,
  info: AuditInfo = {},
): Promise<{ id: string }> {
  const [actorKind, actorId] = actorOf(author)
  const { target: [target, targetId] = [], ...rest } = info
  const { ip, requestId } = author
  return insertEvent(tx, { ...rest, action, actorKind, actorId, target, targetId, ip, requestId })
}

function actorOf(author: Author): Attribution['by'] {
  if ('by' in author) return author.by
  return isAuthenticated(author)
    ? [credentialKind(author.principal), author.principal.accountId]
    : ['anonymous', null]
}

async function insertEvent(tx: Tx, event: AuditEvent): Promise<{ id: string }> {
  const secret: Private | null =
    event.ip || event.details || event.requestId
      ? {
          ip: text(event.ip),
          details: storable(event.details ?? {}),
          salt: randomToken(24),
          requestId: text(event.requestId),
        }
      : null
  const core: Core = {
    id: newId(),
    at: tx.clock.real(),
    action: storableText(event.action),
    actorKind: storableText(event.actorKind),
    actorId: text(event.actorId),
    target: text(event.target),
    targetId: text(event.targetId),
    requestId: null,
    privateHash: secret && privateHash(secret),
  }
  await tx.run(sql`
    with event as (
      insert into platform_audit (id, at, action, actor_kind, actor_id, target, target_id, request_id, private_hash, hash)
      values (${core.id}, ${core.at}, ${core.action}, ${core.actorKind}, ${core.actorId}, ${core.target}, ${core.targetId},
        ${core.requestId}, ${core.privateHash}, ${coreHash(core)})
    )
    insert into platform_audit_unsealed (item_id) values (${core.id})`)
  if (secret)
    await tx.run(sql`insert into platform_audit_private (audit_id, ip, details, salt, request_id, about)
    values (${core.id}, ${secret.ip}, ${json(secret.details)}::jsonb, ${secret.salt}, ${secret.requestId},
      ${(event.about ?? []).filter(Boolean)}::text[])`)
  return { id: core.id }
}

/**
 * Erases the private part of every audit event whose actor or target is an account, or that lists it in `about`. The
 * chain still verifies.
 */
export const eraseAuditDetails = (tx: Tx, accountId: string): Promise<number> =>
  tx.run(sql`
  delete from platform_audit_private where about @> array[${accountId}::text] or audit_id in (
    select id from platform_audit where actor_id = ${accountId} union all select id from platform_audit where target_id = ${accountId})`)

export interface AuditFilters {
  action?: string
  actorId?: string
  targetId?: string
  from?: Date
  to?: Date
}

export interface AuditRecord {
  id: string
  at: Date
  action: string
  actorKind: string
  actorId: string | null
  target: string | null
  targetId: string | null
  /** This, `details` and `ip`: null where there was none, or where it was erased with an account. */
  requestId: string | null
  details: Json
  ip: string | null
  hash: string
}

/** The events that fit all filters, newest first. `counted` stops one above the cap of every list. */
export async function auditTrail(
  q: Queryable,
  filters: AuditFilters,
  page: Page,
): Promise<{ events: AuditRecord[]; counted: number }> {
  const events = await q.rows(auditEvents(filters, page))
  const { counted } = await q.one(sql<{ counted: number }>`
    select count(*)::int as counted from (
      select from platform_audit a where ${conditions(filters)} limit ${TOTAL_CAP + 1}) capped`)
  return { events, counted }
}

export const auditEvents = (filters: AuditFilters, page: Page) => sql<AuditRecord>`
  select a.id, a.at, a.action, a.actor_kind, a.actor_id, a.target, a.target_id,
    coalesce(p.request_id, a.request_id) as request_id, p.details, p.ip, a.hash
  from platform_audit a left join platform_audit_private p on p.audit_id = a.id
  where ${conditions(filters)} order by a.at desc, a.id desc limit ${page.limit} offset ${page.offset}`

function conditions(filters: AuditFilters): SqlPart {
  const parts: SqlPart[] = []
  if (filters.action !== undefined) parts.push(part`a.action = ${filters.action}`)
  if (filters.actorId !== undefined) parts.push(part`a.actor_id = ${filters.actorId}`)
  if (filters.targetId !== undefined) parts.push(part`a.target_id = ${filters.targetId}`)
  if (filters.from) parts.push(part`a.at >= ${filters.from}`)
  if (filters.to) parts.push(part`a.at < ${filters.to}`)
  return joined(parts, ' and ')
}

const chain: Chain = {
  name: 'audit',
  noun: 'audit event',
  table: 'platform_audit',
  prefix: 'platform_audit',
  lock: 727_004,
  async read(q, ids) {
    return (
      await q.rows(sql<Core & { hash: string; stored: Private | null }>`
      select a.id, a.at, a.action, a.actor_kind, a.actor_id, a.target, a.target_id, a.request_id, a.private_hash, a.hash,
        case when p.audit_id is not null then jsonb_build_object('ip', p.ip, 'details', p.details, 'salt', p.salt,
          'requestId', p.request_id) end as stored
      from platform_audit a left join platform_audit_private p on p.audit_id = a.id where a.id = any(${ids}::uuid[])`)
    ).map(toItem)
  },
}

function toItem(row: Core & { hash: string; stored: Private | null }): ChainItem {
  const changed = row.stored && privateHash(row.stored) !== row.privateHash
  return {
    id: row.id,
    stored: row.hash,
    computed: coreHash(row),
    findings: changed ? [`audit event ${row.id}: its details were changed`] : [],
  }
}

export const sealAudit = (db: Db, secrets: Secrets, onHead?: (head: Head) => void): Promise<number> =>
  sealChain(db, chain, secrets, onHead)
export const verifyAuditChain = (q: Queryable, secrets: Secrets): Promise<ChainReport> =>
  verifyChain(q, chain, secrets)
export const auditHead = (q: Queryable): Promise<Head | undefined> => lastHead(q, chain)
