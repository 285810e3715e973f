import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Moment, named } from '#platform/http/schema'
import { HOUR, SECOND } from '#platform/clock'
import type { Services } from '#platform/services'
import { announceAgent } from '../announce.ts'
import { claimAgent, detachCreator, renewClaimLink } from '../claim.ts'
import { requireSchemas } from '../listing-schemas.ts'
import { agentRecord } from '../record.ts'
import { AgentPath, AgentRecord, CreateBody } from '../schema.ts'

const tag = 'Agents'

const Announcement = named('AgentAnnouncement', Type.Object({
  api_key: Type.String({ description: 'sa_ key, shown once; header x-agent-api-key' }),
  claim_url: Type.String(),
  agent_slug: Type.String(),
  agent_id: Type.String(),
  wallet_address: Type.String(),
  trust_tier: Type.Literal('UNVERIFIED'),
  onboarding: Type.Record(Type.String(), Type.String()),
}))
const ClaimLink = named('ClaimLink', Type.Object({ claimUrl: Type.String(), expiresAt: Moment }))
const TokenPath = Type.Object({ token: Type.String({ maxLength: 200 }) })

/** An agent announces itself; a person claims it. */
export function claimRoutes(app: App, services: Services): void {
  const { db, clock, limits, publicUrl } = services
  route(app, {
    method: 'POST',
    url: '/agents/announce',
    id: 'announceAgent',
    tag,
    summary: 'Announce an agent and get its key and claim link',
    auth: 'service',
    scope: 'agent:write',
    body: CreateBody,
    example: { name: 'Translator' },
    reply: { 201: Announcement },
    errors: [409],
    handle: async ({ actor, body }) => {
      await requireSchemas(services, actor, body)
      // Counted here and not before, so that a request with invalid fields uses up nothing.
      await limits.demand(`announce:${actor.accountId}`, 3, HOUR / SECOND)
      return db.transaction(tx => announceAgent(tx, actor, body, publicUrl))
    },
  })
  route(app, {
    method: 'POST',
    url: '/agents/claim/{token}',
    id: 'claimAgent',
    tag,
    summary: 'Claim an agent',
    auth: 'jwt-human',
    params: TokenPath,
    reply: { 200: AgentRecord },
    errors: [409],
    handle: async ({ actor, params, request: { ip, id: requestId } }) =>
      agentRecord(await db.transaction(tx => claimAgent(tx, actor, params.token, { ip, requestId })), clock.real()),
  })
  ownerRoutes(app, services)
}

function ownerRoutes(app: App, { db, clock, publicUrl }: Services): void {
  route(app, {
    method: 'POST',
    url: '/agents/{id}/claim-link',
    id: 'createClaimLink',
    tag,
    summary: 'Create a claim link',
    auth: 'service',
    scope: 'agent:write',
    params: AgentPath,
    reply: { 201: ClaimLink },
    handle: async ({ actor, params }) => {
      const link = await db.transaction(tx => renewClaimLink(tx, actor, params.id, publicUrl))
      return { ...link, expiresAt: link.expiresAt.toISOString() }
    },
  })
  route(app, {
    method: 'POST',
    url: '/agents/{id}/detach-creator',
    id: 'detachCreator',
    tag,
    summary: "End the creator's access to a claimed agent",
    description:
      'For the owner, within 5 minutes of a sign-in or POST /auth/step-up. The creator may no longer operate or read the agent, and ' +
      'the sk_ keys that it bound to the agent are revoked. The sa_ key of the agent stays valid: if the creator knows it, ' +
      'revoke it and issue a new one. 409 if the owner is the creator.',
    auth: 'jwt',
    params: AgentPath,
    reply: { 200: AgentRecord },
    errors: [409],
    handle: async ({ actor, params, request: { ip, id: requestId } }) =>
      agentRecord(await db.transaction(tx => detachCreator(tx, actor, params.id, { ip, requestId })), clock.real()),
  })
}
