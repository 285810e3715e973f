import { agentKeys } from '#agents'
import { mailLinks } from '#identity'
import type { Services } from '#platform/kernel/services'

/**
 * What the console shows of a link in a mail or a terminal, which no visit uses up: mail scanners open every link. A
 * link whose state is not `good` leads nowhere any more; its page has status 404.
 */
export type LinkData =
  | { kind: 'setup'; state: 'good' | 'dead' }
  | ({ kind: 'reset' | 'verify' | 'login' } & mailLinks.LinkView)
  | ({ kind: 'claim' } & ClaimData)

type ClaimData =
  | {
      state: 'good' | 'claimed'
      agent: { name: string; slug: string; description: string | null; trustTier: string }
    }
  | { state: 'dead' }

export const LINKS: readonly {
  path: LinkData['kind']
  id: string
  summary: string
  read(services: Services, token: string): Promise<LinkData>
}[] = [
  { path: 'setup', id: 'pageSetup', summary: 'Become the first admin', read: readSetup },
  { path: 'claim', id: 'pageClaim', summary: 'Claim an agent', read: readClaim },
  {
    path: 'reset',
    id: 'pageReset',
    summary: 'Set a new password',
    read: async (services, token) => ({
      kind: 'reset',
      ...(await mailLinks.viewMailLink(services, 'reset', token)),
    }),
  },
  {
    path: 'verify',
    id: 'pageVerify',
    summary: 'Confirm an email address',
    read: async (services, token) => ({
      kind: 'verify',
      ...(await mailLinks.viewMailLink(services, 'verify', token)),
    }),
  },
  {
    path: 'login',
    id: 'pageLogin',
    summary: 'Sign in by magic link',
    read: async (services, token) => ({
      kind: 'login',
      ...(await mailLinks.viewMailLink(services, 'magic', token)),
    }),
  },
]

async function readSetup(services: Services, token: string): Promise<LinkData> {
  const isUsable = await mailLinks.isSetupLinkGood(services, token)
  return { kind: 'setup', state: isUsable ? 'good' : 'dead' }
}

async function readClaim(services: Services, token: string): Promise<LinkData> {
  const view = await agentKeys.viewClaimLink(services, token)
  if (view.state === 'dead') return { kind: 'claim', state: 'dead' }
  const { name, slug, description, trustTier } = view.agent
  return { kind: 'claim', state: view.state, agent: { name, slug, description, trustTier } }
}
