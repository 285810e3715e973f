import { useQueries } from '@tanstack/react-query'
import { $api } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import type { Currency, Wallet } from '../../../api/schema.d.ts'

/** A wallet that can pay; with its organization where it is not a wallet of the person. */
export interface Payer {
  wallet: Wallet
  organization?: { id: string; name: string }
}

/** The wallets of one currency that the person may pay from: those of the account and of its organizations. */
export function usePayers(currency: Currency): { payers: Payer[]; isPending: boolean; error: unknown } {
  const me = useMe()
  const own = $api.useQuery(
    'get',
    '/wallets/user/{userId}',
    { params: { path: { userId: me?.id ?? '' } } },
    { enabled: Boolean(me) },
  )
  const { data: organizations } = $api.useQuery('get', '/organizations', {
    params: { query: { limit: 20 } },
  })
  // A member sees an organization, and does not spend its money.
  const run = organizations?.items.filter(({ role }) => role !== 'MEMBER') ?? []
  const shared = useQueries({
    queries: run.map(({ slug }) =>
      $api.queryOptions('get', '/wallets/org/{slug}', { params: { path: { slug } } }),
    ),
  })
  const payers = [
    ...(own.data?.wallets ?? []).map(wallet => ({ wallet })),
    ...run.flatMap(({ id, name }, index) =>
      (shared[index]?.data?.wallets ?? []).map(wallet => ({ wallet, organization: { id, name } })),
    ),
  ].filter(({ wallet }) => wallet.currency === currency)
  return { payers, isPending: own.isPending, error: own.error }
}
