import { schemas } from '#identity'
import { Type } from '#platform/http/type'
import { command, type App } from '#platform/http/operations'
import { Moment, named } from '#platform/http/schema'
import { HOUR, SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import { announceAgent } from '../listing/announce.ts'
import { detachCreator, renewClaimLink } from './claim.ts'
import { requireSchemas } from '../listing/schemas.ts'
import { agentRecord } from '../record.ts'
import { AgentPath, AgentRecord, CreateBody } from '../schema.ts'

const tag = 'Agents'

const Announcement = named(
  'AgentAnnouncement',
  Type.Object({
    api_key: schemas.ShownKey('sa', 'sa_ key, shown once; header x-agent-api-key'),
    claim_url: Type.String({
      format: 'uri',
      description: 'Link that hands the agent over to the account that opens it',
    }),
    agent_slug: Type.String({
      pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
      maxLength: 80,
      description: 'Unique name of the agent in addresses',
    }),
    agent_id: Type.String({ maxLength: 200, description: 'Id of the agent (UUIDv7)' }),
    wallet_address: Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      description: 'Address on the chain at which it is paid in USDC',
    }),
    trust_tier: Type.Literal('UNVERIFIED', { description: 'A new agent is always UNVERIFIED' }),
    onboarding: Type.Record(Type.String(), Type.String(), {
      description: 'Next steps by name, each with the address to call',
    }),
  }),
)
const ClaimLink = named(
  'ClaimLink',
  Type.Object({
    claimUrl: Type.String({
      format: 'uri',
      description: 'Link that hands the agent over to the account that opens it',
    }),
    expiresAt: { ...Moment, description: 'When the link expires' },
  }),
)

/** Announce agents, create claim links, detach creators. */
export function claimRoutes(app: App, services: Services): void {
  const { limits } = services
  command(app, {
    method: 'POST',
    url: '/agents/announce',
    id: 'announceAgent',
    tag,
    summary: 'Announce an agent and get its key and claim link',
    access: { accept: ['jwt', 'sk'], scope: 'agent:write' },
    body: CreateBody,
    example: { name: 'Translator' },
    success: [201, Announcement],
    errors: [409],
    prepare: async (ctx, { body }) => {
      await requireSchemas(services, ctx, body)
      // Counted after validation, so that a request with invalid fields does not count.
      await limits.requireQuota(`announce:${ctx.principal.accountId}`, 3, HOUR / SECOND)
    },
    run: (tx, ctx, { body }) => announceAgent(tx, ctx, body, services),
  })
  ownerRoutes(app, services)
}

function ownerRoutes(app: App, services: Services): void {
  const { clock, publicUrl } = services
  command(app, {
    method: 'POST',
    url: '/agents/{id}/claim-link',
    id: 'createClaimLink',
    tag,
    summary: 'Create a claim link',
    access: { accept: ['jwt', 'sk'], scope: 'agent:write' },
    params: AgentPath,
    success: [201, ClaimLink],
    run: async (tx, ctx, { params }) => {
      const link = await renewClaimLink(tx, ctx, params.id, publicUrl)
      return { ...link, expiresAt: link.expiresAt.toISOString() }
    },
  })
  command(app, {
    method: 'POST',
    url: '/agents/{id}/detach-creator',
    id: 'detachCreator',
    tag,
    summary: "End the creator's access to a claimed agent",
    description:
      'For the owner, within 5 minutes of a sign-in or POST /auth/step-up. The creator may no longer operate or read the agent, and ' +
      'the sk_ keys that it bound to the agent are revoked. A webhook that it set is deleted, and a webhook secret that it knows ' +
      'is replaced. The sa_ key of the agent stays valid: if the creator knows it, ' +
      'revoke it and issue a new one. 409 if the owner is the creator.',
    access: { accept: ['jwt'] },
    params: AgentPath,
    success: [200, AgentRecord],
    errors: [409],
    run: async (tx, ctx, { params }) =>
      agentRecord(await detachCreator(tx, ctx, params.id, services), clock.real()),
  })
}
