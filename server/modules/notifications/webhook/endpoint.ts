import { agentKeys, isOwner, requireAgent, type Agent } from '#agents'
import { requireStepUp } from '#identity'
import { EgressRefused, type Dialer } from '#platform/adapters/egress/dialer'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, type Page } from '#platform/http/schema'
import { audit } from '#platform/kernel/audit'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, COMMON, invalid, ValidationError } from '#platform/kernel/errors'
import { isId, newId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { NOTIFICATIONS } from '../errors.ts'
import type { EventType } from '../events/types.ts'
import type { DeliveryStatus } from './delivery-machine.ts'
import * as statements from './sql.ts'

type Sealing = Pick<Services, 'secrets'>
const { createWebhookSecret, rotateWebhookSecret } = agentKeys.webhookSecrets

/** The agent, for its owner alone: whoever receives its events learns of its deals. */
async function requireOwnAgent(q: Queryable, ctx: RequestContext, agentId: string): Promise<Agent> {
  const agent = await requireAgent(q, ctx, agentId)
  if (isOwner(ctx, agent)) return agent
  throw apiError(COMMON.FORBIDDEN, { hint: 'Only the owner of the agent can do this' })
}

/** 400 for an address that could never be sent to. */
export async function requireReachable(
  { config }: Pick<Services, 'config'>,
  dialer: Dialer,
  text: string,
): Promise<void> {
  if (!URL.canParse(text)) throw invalid('url must be a URL')
  const url = new URL(text)
  const schemes = config.sandbox ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(url.protocol)) throw invalid('url must begin with https://')
  if (url.username || url.password || url.hash) throw invalid('url must have no credentials and no fragment')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  await dialer.decide(url.hostname, port).catch((error: unknown) => {
    // A name that does not resolve now may do so when the first event is sent.
    if (error instanceof EgressRefused && error.code !== 'dns')
      throw new ValidationError([`url: ${error.message}`], config.sandbox ? { hint: hintFor(url, port) } : {})
  })
}

const hintFor = ({ hostname }: URL, port: number): string =>
  `For an address of your machine start the service with VERIFIER_ALLOW_PRIVATE=${hostname}:${port}, or forward the events ` +
  'with "svc listen SLUG --forward-to URL"'

/**
 * Sets the endpoint, as a normalized URL, and enables it. What waits is due at once: the next attempt may be hours away, and
 * the last one at an address that was replaced would disable the new one. `secret` is shown once: null if the agent had one already.
 */
export async function setWebhook(
  tx: Tx,
  services: Sealing,
  ctx: RequestContext,
  { agentId, url, events }: { agentId: string; url: string; events?: EventType[] | null },
) {
  const { id } = await requireOwnAgent(tx, ctx, agentId)
  await requireStepUp(tx, ctx, tx.clock.real())
  const { accountId } = ctx.principal
  const endpoint = { agentId: id, url: new URL(url).href, events: events ?? null, setBy: accountId }
  const row = await tx.one(statements.setEndpoint(endpoint, tx.now))
  await tx.run(statements.restartDeliveries(id, tx.now))
  const secret = await createWebhookSecret(tx, services, id, accountId)
  await audit(tx, ctx, 'agent.webhook_set', { target: ['agent', id] })
  return { row, secret }
}

export async function readWebhook(q: Queryable, ctx: RequestContext, agentId: string) {
  const { id } = await requireOwnAgent(q, ctx, agentId)
  const row = await q.maybe(statements.endpointOf(id))
  if (!row) throw apiError(NOTIFICATIONS.WEBHOOK_NOT_FOUND)
  return row
}

/** What waits to be sent is canceled; the secret stays, for other messages to the agent. */
export async function deleteWebhook(tx: Tx, ctx: RequestContext, agentId: string): Promise<void> {
  const { id } = await requireOwnAgent(tx, ctx, agentId)
  if (!(await tx.run(statements.deleteEndpoint(id)))) throw apiError(NOTIFICATIONS.WEBHOOK_NOT_FOUND)
  await tx.run(statements.cancelDeliveries(id, { actor: 'owner', actorId: ctx.principal.accountId }, tx.now))
  await audit(tx, ctx, 'agent.webhook_deleted', { target: ['agent', id] })
}

/** Deletes the endpoint of a creator that lost its access: it may not learn of further deals. */
export async function deleteWebhookOfCreator(
  tx: Tx,
  { agentId, ownerId }: { agentId: string; ownerId: string },
): Promise<void> {
  if (await tx.run(statements.deleteForeignEndpoint(agentId, ownerId)))
    await tx.run(statements.cancelDeliveries(agentId, { actor: 'owner', actorId: ownerId }, tx.now))
}

/** Deletes the endpoints that the registrant of an account set: the holder of its address did not choose them. */
export async function deleteWebhooksOfClaimedAccount(
  tx: Tx,
  { accountId }: { accountId: string },
): Promise<void> {
  for (const { agentId } of await tx.rows(statements.deleteEndpointsOfOwner(accountId)))
    await tx.run(statements.cancelDeliveries(agentId, { actor: 'owner', actorId: accountId }, tx.now))
}

/** A new secret; the one before signs too for 24 hours. */
export async function rotateSecret(tx: Tx, services: Sealing, ctx: RequestContext, agentId: string) {
  const { id } = await requireOwnAgent(tx, ctx, agentId)
  await requireStepUp(tx, ctx, tx.clock.real())
  const { accountId } = ctx.principal
  const first = await createWebhookSecret(tx, services, id, accountId)
  const rotated = first === null ? await rotateWebhookSecret(tx, services, id, accountId) : null
  await audit(tx, ctx, 'agent.webhook_secret_rotated', { target: ['agent', id] })
  return {
    secret: first ?? rotated?.secret ?? '',
    previousSecretValidUntil: rotated?.previousUntil.toISOString() ?? null,
  }
}

/** Deliveries to the webhook, the newest first, and the webhook itself: it may be gone, or not be there yet. */
export async function readDeliveries(
  q: Queryable,
  ctx: RequestContext,
  { agentId, status }: { agentId: string; status?: DeliveryStatus },
  page: Page,
) {
  const { id } = await requireOwnAgent(q, ctx, agentId)
  const rows = await q.rows(statements.listDeliveries(id, status, page))
  const { counted } = await q.one(statements.countDeliveries(id, status))
  const endpoint = await q.maybe(statements.endpointOf(id))
  return {
    ...pageAnswer(rows.map(deliveryView), counted, page),
    webhook: endpoint ? webhookView(endpoint) : null,
  }
}

/** Sends the event of a delivery again, with the same id. 409 while it is open, and without an enabled endpoint. */
export async function replayDelivery(
  tx: Tx,
  ctx: RequestContext,
  { agentId, deliveryId }: { agentId: string; deliveryId: string },
) {
  const { id } = await requireOwnAgent(tx, ctx, agentId)
  const delivery = isId(deliveryId) ? await tx.maybe(statements.deliveryById(deliveryId, id)) : undefined
  if (!delivery) throw apiError(NOTIFICATIONS.WEBHOOK_DELIVERY_NOT_FOUND)
  const endpoint = await tx.maybe(statements.lockEndpoint(id))
  if (endpoint?.status !== 'ENABLED')
    throw apiError(NOTIFICATIONS.WEBHOOK_DISABLED, { hint: 'Set it with PUT /agents/{id}/webhook' })
  if (delivery.status === 'PENDING')
    throw apiError(COMMON.STATE_CONFLICT, { hint: 'The delivery is still being attempted' })
  const { id: replayId } = await tx.one(statements.insertReplay(newId(), delivery, tx.now))
  return deliveryView(await tx.one(statements.listedDelivery(replayId)))
}

const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null

export const webhookView = (row: statements.EndpointRow) => ({
  agentId: row.agentId,
  url: row.url,
  events: row.events,
  status: row.status,
  disabledAt: iso(row.disabledAt),
  lastSuccessAt: iso(row.lastSuccessAt),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

const deliveryView = (row: statements.ListedDelivery) => ({
  id: row.id,
  eventId: `evt_${row.eventId}`,
  type: row.type,
  subjectId: row.subjectId,
  status: row.status,
  attempts: row.attempts,
  lastAttemptAt: iso(row.attemptedAt),
  responseStatus: row.attempt?.status ?? null,
  error: row.attempt?.error ?? null,
  errorCode: row.attempt?.code ?? null,
  nextAttemptAt: iso(row.nextAttemptAt),
  createdAt: row.createdAt.toISOString(),
  endedAt: iso(row.endedAt),
})
