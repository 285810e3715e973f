import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Moment, named } from '#platform/http/schema'
import type { Services } from '#platform/services'
import { issueKey, requireKeyOf, revokeKeys, rotateAgentKey } from '../keys.ts'
import { AgentPath } from '../schema.ts'

const tag = 'Agents'

const Issued = named('IssuedAgentKey', Type.Object({ keyId: Type.String(), apiKey: Type.String({ description: 'sa_ key, shown once' }) }))
const Rotated = named('RotatedAgentKey', Type.Object({
  newApiKey: Type.String({ description: 'Shown once' }),
  oldKeyExpiresAt: Moment,
  message: Type.String(),
}))
const Revoked = named('RevokedAgentKeys', Type.Object({
  revokedServiceAccountId: Type.String(),
  revokedAt: Moment,
  message: Type.String(),
  frozenEscrows: Type.Array(
    Type.Object({
      escrowId: Type.String(),
      amount: Type.String(),
      counterpartyWalletId: Type.String(),
      originalStatus: Type.String(),
    }),
  ),
}))

/** The keys of one agent: issued, replaced, revoked. */
export function keyRoutes(app: App, { db, limits }: Services): void {
  route(app, {
    method: 'POST',
    url: '/agents/{id}/keys',
    id: 'issueAgentKey',
    tag,
    summary: 'Issue a new key to an agent',
    auth: 'jwt',
    params: AgentPath,
    reply: { 201: Issued },
    errors: [409],
    handle: async ({ actor, params }) => db.transaction(tx => issueKey(tx, actor, params.id)),
  })
  route(app, {
    method: 'POST',
    url: '/agents/{id}/rotate-key',
    id: 'rotateAgentKey',
    tag,
    auth: 'agent-key',
    scope: 'agent:write',
    summary: 'Rotate the key of an agent',
    params: AgentPath,
    reply: { 200: Rotated },
    errors: [409],
    handle: async ({ actor, params, request: { ip, id: requestId } }) => {
      const agent = await requireKeyOf(db, actor, params.id)
      // Counted here and not before, so that keys of others cannot use up the limit of the agent.
      await limits.demand(`rotate-key:${agent.id}`, 3, 60)
      return db.transaction(tx => rotateAgentKey(tx, actor, agent, { ip, requestId }))
    },
  })
  route(app, {
    method: 'POST',
    url: '/agents/{id}/revoke-key',
    id: 'revokeAgentKeys',
    tag,
    auth: 'agent-key|jwt',
    scope: 'agent:write',
    summary: 'Revoke every key of an agent',
    params: AgentPath,
    reply: { 200: Revoked },
    handle: async ({ actor, params, request: { ip, id: requestId } }) =>
      db.transaction(tx => revokeKeys(tx, actor, params.id, { ip, requestId })),
  })
}
