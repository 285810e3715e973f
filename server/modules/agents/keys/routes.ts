import { schemas } from '#identity'
import { Type } from '#platform/http/type'
import { command, type App } from '#platform/http/operations'
import { Id, Moment, Money, named } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { issueKey, requireKeyOf, revokeKeys, rotateAgentKey } from './keys.ts'
import { AgentPath } from '../schema.ts'

const tag = 'Agents'

const Issued = named(
  'IssuedAgentKey',
  Type.Object({
    keyId: Type.String({ maxLength: 200, description: 'Id of the key (UUIDv7)' }),
    apiKey: schemas.ShownKey('sa', 'sa_ key, shown once'),
  }),
)
const Rotated = named(
  'RotatedAgentKey',
  Type.Object({
    newApiKey: schemas.ShownKey('s[ak]', 'Key of the kind of the old one, shown once'),
    oldKeyExpiresAt: { ...Moment, description: 'Until when the old key works too' },
    message: Type.String({ minLength: 1, description: 'What happened, for people' }),
  }),
)
const Revoked = named(
  'RevokedAgentKeys',
  Type.Object({
    revokedServiceAccountId: { ...Id, description: 'Id of the service account of the agent (UUIDv7)' },
    revokedAt: { ...Moment, description: 'When the keys were revoked' },
    message: Type.String({ minLength: 1, description: 'What happened, for people' }),
    frozenEscrows: Type.Array(
      Type.Object({
        escrowId: Type.String({ maxLength: 200, description: 'Id of the escrow' }),
        amount: { ...Money, description: 'What the escrow holds, in dollars' },
        counterpartyWalletId: { ...Id, description: 'Wallet of the other party' },
        originalStatus: Type.String({ pattern: '^[A-Z_]+$', description: 'State of the escrow before' }),
      }),
      { description: 'Escrows of the agent that were frozen with the keys' },
    ),
  }),
)

/** Issue, rotate and revoke the keys of one agent. */
export function keyRoutes(app: App, { db, limits }: Services): void {
  command(app, {
    method: 'POST',
    url: '/agents/{id}/keys',
    id: 'issueAgentKey',
    tag,
    summary: 'Issue a new key to an agent',
    access: { accept: ['jwt'] },
    params: AgentPath,
    success: [201, Issued],
    errors: [409],
    run: (tx, ctx, { params }) => issueKey(tx, ctx, params.id),
  })
  command(app, {
    method: 'POST',
    url: '/agents/{id}/rotate-key',
    id: 'rotateAgentKey',
    tag,
    access: { accept: ['sa', 'sk'], scope: 'agent:write', managesKeys: true },
    summary: 'Rotate the key of an agent',
    params: AgentPath,
    success: [200, Rotated],
    errors: [409],
    prepare: async (ctx, { params }) => {
      const agent = await requireKeyOf(db, ctx, params.id)
      // Counted after the check, so that keys of other agents cannot exhaust the limit of this one.
      await limits.requireQuota(`rotate-key:${agent.id}`, 3, 60)
    },
    run: (tx, ctx, { params }) => rotateAgentKey(tx, ctx, params.id),
  })
  command(app, {
    method: 'POST',
    url: '/agents/{id}/revoke-key',
    id: 'revokeAgentKeys',
    tag,
    access: { accept: ['sa', 'sk', 'jwt'], scope: 'agent:write', managesKeys: true },
    summary: 'Revoke every key of an agent',
    params: AgentPath,
    success: [200, Revoked],
    run: (tx, ctx, { params }) => revokeKeys(tx, ctx, params.id),
  })
}
