import { useQuery } from '@tanstack/react-query'
import { api, refreshReads } from '../../../api/client.ts'
import type { Payout } from '../../../api/schema.d.ts'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'

/** Whose money is paid out. */
export type Owner =
  | { kind: 'user'; id: string }
  | { kind: 'agent'; id: string }
  | { kind: 'organization'; slug: string }

const keyOf = (owner: Owner): string => (owner.kind === 'organization' ? owner.slug : owner.id)

export const usePayoutAccount = (owner: Owner) =>
  useQuery({
    queryKey: ['get', '/payouts/account-status', owner.kind, keyOf(owner)],
    queryFn: async () => (await readAccount(owner)).data ?? null,
  })

function readAccount(owner: Owner) {
  if (owner.kind === 'user') return api.GET('/payouts/user/account-status')
  if (owner.kind === 'agent')
    return api.GET('/payouts/account-status/{agentId}', { params: { path: { agentId: owner.id } } })
  return api.GET('/payouts/org/account-status/{slug}', { params: { path: { slug: owner.slug } } })
}

export const usePayouts = (owner: Owner, offset: number) =>
  useQuery({
    queryKey: ['get', '/payouts/history', owner.kind, keyOf(owner), offset],
    queryFn: async () => (await readHistory(owner, { offset, limit: PAGE_SIZE })).data ?? null,
    // States follow the bank.
    refetchInterval: 15_000,
  })

function readHistory(owner: Owner, query: { offset: number; limit: number }) {
  if (owner.kind === 'user') return api.GET('/payouts/user/history', { params: { query } })
  if (owner.kind === 'agent')
    return api.GET('/payouts/history/{agentId}', { params: { path: { agentId: owner.id }, query } })
  return api.GET('/payouts/org/history/{slug}', { params: { path: { slug: owner.slug }, query } })
}

export const usePayoutWallets = (owner: Owner) =>
  useQuery({
    queryKey: ['get', '/wallets', 'of', owner.kind, keyOf(owner)],
    queryFn: async () => (await readWallets(owner)).data?.wallets ?? [],
  })

function readWallets(owner: Owner) {
  if (owner.kind === 'user')
    return api.GET('/wallets/user/{userId}', { params: { path: { userId: owner.id } } })
  if (owner.kind === 'agent')
    return api.GET('/wallets/agent/{agentId}', { params: { path: { agentId: owner.id } } })
  return api.GET('/wallets/org/{slug}', { params: { path: { slug: owner.slug } } })
}

/** Where the processor's page leads: back here. */
interface Links {
  returnUrl: string
  refreshUrl: string
  country?: string
}

export async function setUpPayouts(owner: Owner, links: Links): Promise<string> {
  const { data } =
    owner.kind === 'user'
      ? await api.POST('/payouts/user/setup', { body: links })
      : owner.kind === 'agent'
        ? await api.POST('/payouts/setup', { body: { ...links, agentId: owner.id } })
        : await api.POST('/payouts/org/setup', { body: { ...links, organizationSlug: owner.slug } })
  return data?.onboardingUrl ?? links.returnUrl
}

interface Wanted {
  amount: string
  rail: 'processor' | 'chain'
  toAddress?: string
}

/** What is read anew after a payout was requested or canceled. */
const refreshPayouts = () => refreshReads('/payouts', '/wallets', '/agents/{id}/payment-history')

export async function requestPayout(owner: Owner, wanted: Wanted): Promise<Payout | undefined> {
  const { data } = await sendRequest(owner, wanted)
  void refreshPayouts()
  return data
}

function sendRequest(owner: Owner, wanted: Wanted) {
  if (owner.kind === 'user') return api.POST('/payouts/user/request', { body: wanted })
  if (owner.kind === 'agent') return api.POST('/payouts/request', { body: { ...wanted, agentId: owner.id } })
  return api.POST('/payouts/org/request', { body: { ...wanted, organizationSlug: owner.slug } })
}

/** Whether it can still be canceled for a while. */
export const isHeld = ({ status, sendAt, createdAt }: Payout): boolean =>
  status === 'REVIEW' || (sendAt !== null && sendAt > createdAt)

export async function cancelPayout(id: string): Promise<void> {
  await api.POST('/payouts/{id}/cancel', { params: { path: { id } } })
  void refreshPayouts()
}
