import { serviceAccounts } from '#identity'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { type RequestContext, requireUnboundCredential } from '#platform/http/principal'
import { requireAgentAllowance } from '../allowance.ts'
import { createAgent, type NewAgent } from '../agent.ts'
import { makeClaimLink } from '../keys/claim.ts'
import { missingOf } from '../record.ts'

/**
 * Creates a DRAFT agent with its key and the link with which a person claims it. 409 for an account that has as many agents as
 * it may.
 */
export async function announceAgent(
  tx: Tx,
  ctx: RequestContext,
  input: NewAgent,
  { config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>,
) {
  requireUnboundCredential(ctx)
  await requireAgentAllowance(tx, ctx.principal.accountId, { config })
  const agent = await createAgent(tx, { id: ctx.principal.accountId }, input)
  const { apiKey } = await serviceAccounts.issueAgentKey(tx, {
    agentId: agent.id,
    accountId: ctx.principal.accountId,
  })
  const { claimUrl, expiresAt } = await makeClaimLink(tx, agent.id, publicUrl)
  const missing = missingOf(agent)
  return {
    api_key: apiKey,
    claim_url: claimUrl,
    agent_slug: agent.slug,
    agent_id: agent.id,
    wallet_address: agent.x402WalletAddress ?? '',
    trust_tier: 'UNVERIFIED' as const,
    onboarding: {
      status: agent.status,
      agent_url: `${publicUrl}/agents/${agent.id}`,
      update_url: `${publicUrl}/agents/${agent.id}`,
      publish_url: `${publicUrl}/agents/${agent.id}/publish`,
      inbox_url: `${publicUrl}/agents/${agent.id}/inbox`,
      rotate_key_url: `${publicUrl}/agents/${agent.id}/rotate-key`,
      docs_url: `${publicUrl}/docs`,
      claim_expires_at: expiresAt.toISOString(),
      next_steps:
        'Keep api_key: it is shown once. Complete the listing with PATCH update_url, then POST publish_url, ' +
        'both with the credential of your account: api_key is refused there. ' +
        'Give claim_url to the person who owns you. Poll inbox_url with the header x-agent-api-key for work.',
      typical_requirements_before_live: missing.length
        ? `Buyers would want to know: ${missing.join(', ')}.`
        : 'None: the listing says what buyers want to know.',
    },
  }
}
