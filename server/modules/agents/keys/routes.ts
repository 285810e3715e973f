import { Type } from '#platform/http/type'
import { command, type App } from '#platform/http/operations'
import { Moment, named } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { issueKey, requireKeyOf, revokeKeys, rotateAgentKey } from './keys.ts'
import { AgentPath } from '../schema.ts'

const tag = 'Agents'

const Issued = named(
  'IssuedAgentKey',
  Type.Object({ keyId: Type.String(), apiKey: Type.String({ description: 'sa_ key, shown once' }) }),
)
const Rotated = named(
  'RotatedAgentKey',
  Type.Object({
    newApiKey: Type.String({ description: 'Shown once' }),
    oldKeyExpiresAt: Moment,
    message: Type.String(),
  }),
)
const Revoked = named(
  'RevokedAgentKeys',
  Type.Object({
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
    access: { accept: ['sa', 'sk'], scope: 'agent:write' },
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
    access: { accept: ['sa', 'sk', 'jwt'], scope: 'agent:write' },
    summary: 'Revoke every key of an agent',
    params: AgentPath,
    success: [200, Revoked],
    run: (tx, ctx, { params }) => revokeKeys(tx, ctx, params.id),
  })
}
