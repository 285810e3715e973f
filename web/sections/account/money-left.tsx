import { Alert, List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { allOf } from '../../api/items.ts'
import { useMe } from '../../api/me.ts'
import type { AffiliateCommission, Organization, Subscription, Wallet } from '../../api/schema.d.ts'
import { money } from '../../parts/format.ts'
import { decimalOf, microOf, sumOf } from '../../parts/micro.ts'
import { Loading } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { restOf } from './plan-rest.ts'

/** The money that a deletion of the account would leave behind, by where it is. */
export function MoneyLeft() {
  const me = useMe()
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ['get', '/wallets', 'of a deleted account', me?.id],
    queryFn: () => placesOf(me?.id ?? ''),
    enabled: Boolean(me),
    staleTime: 0,
  })
  return (
    <>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={1} height={60} />}
      {data && data.length > 0 && (
        <Alert color="red" title={t('account.deleteMoney')}>
          <List size="sm">
            {data.map(place => (
              <List.Item key={place}>{place}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  )
}

/** Each place that has money, with its amounts. */
async function placesOf(userId: string): Promise<string[]> {
  const [own, agents, routing, organizations, commissions, plan] = await Promise.all([
    api.GET('/wallets/user/{userId}', { params: { path: { userId } } }),
    allOf(async query => (await api.GET('/wallets/my-agents', { params: { query } })).data?.items),
    api.GET('/v1/wallet/balance'),
    allOf(async query => (await api.GET('/organizations', { params: { query } })).data?.items),
    unpaidCommissions(),
    api.GET('/subscriptions/me'),
  ])
  const closing = await Promise.all(organizations.map(closingOf))
  const wallets = own.data?.wallets ?? []
  const lost = [...wallets, ...agents, ...closing.flatMap(({ wallets }) => wallets)]
  const rest = [
    { amount: amountsOf(wallets), text: 'account.deleteMoney.wallets' },
    { amount: amountsOf(agents), text: 'account.deleteMoney.agents' },
    { amount: amountsOf([inDollars(routing.data?.balance)]), text: 'account.deleteMoney.routing' },
    { amount: amountsOf(commissions.flat()), text: 'account.deleteMoney.commissions' },
    { amount: amountsOf([inDollars(lostPlan(plan.data, lost))]), text: 'account.deleteMoney.plan' },
  ] as const
  return [
    ...rest.flatMap(({ amount, text }) => (amount ? [t(text, { amount })] : [])),
    ...closing.flatMap(({ name, wallets }) => {
      const amount = amountsOf(wallets)
      return amount ? [t('account.deleteMoney.organization', { amount, name })] : []
    }),
  ]
}

type Amount = Pick<Wallet, 'balance'> & { currency: string }

const inDollars = (balance = '0'): Amount => ({ balance, currency: 'USD' })

const UNPAID = ['AVAILABLE', 'PENDING', 'FRAUD_HOLD'] as const satisfies AffiliateCommission['status'][]

/** None for somebody who is no affiliate. */
async function unpaidCommissions(): Promise<Amount[][]> {
  const { data } = await api.GET('/affiliates/membership')
  return data?.affiliate ? Promise.all(UNPAID.map(commissionsIn)) : []
}

/** The commissions in one state. */
async function commissionsIn(status: (typeof UNPAID)[number]): Promise<Amount[]> {
  const commissions = await allOf(
    async query =>
      (await api.GET('/affiliates/commissions', { params: { query: { ...query, status } } })).data?.items,
  )
  return commissions.map(({ amount, clawedBack, currency }) => ({
    balance: decimalOf(microOf(amount) - microOf(clawedBack)),
    currency,
  }))
}

/** The rest of a paid month. It goes to the wallet that paid, or after a card to one of the person. */
function lostPlan(plan: Subscription | undefined, lost: readonly Wallet[]): string {
  if (plan?.status !== 'ACTIVE') return '0'
  const returnsElsewhere = plan.renewsFrom === 'wallet' && lost.every(({ id }) => id !== plan.walletId)
  return returnsElsewhere ? '0' : restOf(plan.invoices)
}

/** The wallets of an organization that closes because nobody else is in it; none of another one. */
async function closingOf({ slug, name }: Organization): Promise<{ name: string; wallets: Wallet[] }> {
  const path = { slug }
  // Members come before the persons who were invited.
  const members = await api.GET('/organizations/{slug}/members', { params: { path, query: { limit: 2 } } })
  const others = (members.data?.items ?? []).filter(({ status }) => status === 'ACTIVE').length - 1
  if (others > 0) return { name, wallets: [] }
  const { data } = await api.GET('/wallets/org/{slug}', { params: { path } })
  return { name, wallets: data?.wallets ?? [] }
}

/** The sum of each currency. */
function amountsOf(wallets: readonly Amount[]): string {
  const full = wallets.filter(({ balance }) => Number(balance) > 0)
  return [...new Set(full.map(({ currency }) => currency))]
    .map(currency =>
      money(
        sumOf(full.filter(wallet => wallet.currency === currency).map(({ balance }) => balance)),
        currency,
      ),
    )
    .join(' + ')
}
