import { Alert, List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import type { Organization, Wallet } from '../../api/schema.d.ts'
import { money } from '../../parts/format.ts'
import { sumOf } from '../../parts/micro.ts'
import { Loading } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'

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
  const [own, agents, routing, organizations] = await Promise.all([
    api.GET('/wallets/user/{userId}', { params: { path: { userId } } }),
    allOf(async query => (await api.GET('/wallets/my-agents', { params: { query } })).data?.items),
    api.GET('/v1/wallet/balance'),
    allOf(async query => (await api.GET('/organizations', { params: { query } })).data?.items),
  ])
  const rest = [
    { amount: amountsOf(own.data?.wallets ?? []), text: 'account.deleteMoney.wallets' },
    { amount: amountsOf(agents), text: 'account.deleteMoney.agents' },
    {
      amount: amountsOf(routing.data ? [{ balance: routing.data.balance, currency: 'USD' }] : []),
      text: 'account.deleteMoney.routing',
    },
  ] as const
  const closing = await Promise.all(organizations.map(closingOf))
  return [
    ...rest.flatMap(({ amount, text }) => (amount ? [t(text, { amount })] : [])),
    ...closing.flatMap(({ amount, name }) =>
      amount ? [t('account.deleteMoney.organization', { amount, name })] : [],
    ),
  ]
}

/** The most that the API gives at once. */
const LIMIT = 100

async function allOf<Item>(
  read: (query: { limit: number; offset: number }) => Promise<readonly Item[] | undefined>,
): Promise<Item[]> {
  const all: Item[] = []
  for (let offset = 0; ; offset += LIMIT) {
    const items = (await read({ limit: LIMIT, offset })) ?? []
    all.push(...items)
    if (items.length < LIMIT) return all
  }
}

/** What is in the wallets of an organization that closes because nobody else is in it; nothing for another one. */
async function closingOf({ slug, name }: Organization): Promise<{ name: string; amount: string }> {
  const path = { slug }
  // Members come before the persons who were invited.
  const members = await api.GET('/organizations/{slug}/members', { params: { path, query: { limit: 2 } } })
  const others = (members.data?.items ?? []).filter(({ status }) => status === 'ACTIVE').length - 1
  if (others > 0) return { name, amount: '' }
  const { data } = await api.GET('/wallets/org/{slug}', { params: { path } })
  return { name, amount: amountsOf(data?.wallets ?? []) }
}

/** The sum of each currency. */
function amountsOf(wallets: readonly Pick<Wallet, 'balance' | 'currency'>[]): string {
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
