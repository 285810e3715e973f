import { Paper } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import type { Wallet } from '../../api/schema.d.ts'
import { Empty } from '../../parts/empty.tsx'
import { money } from '../../parts/format.ts'
import { ButtonLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { DataTable } from '../../parts/list/table.tsx'
import { language, t } from '../../texts/text.ts'
import { transactionsOf } from './statement.ts'

/** Charts are large: loaded with the first one. */
const MonthChart = lazy(() => import('./month-chart.tsx'))

/** Kinds of transactions that are spending; what came back by one of them is taken off. */
const SPENDING = new Set([
  'ap2.hold',
  'ap2.refund',
  'subscription_paid',
  'subscription_returned',
  'routing_topup',
  'routing_returned',
])

export interface Month {
  month: string
  spent: number
}

const nameOfMonth = (key: string): string =>
  new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric' }).format(new Date(`${key}-15`))

/** What was spent by month, from the statements of these wallets; the last twelve months. */
async function monthsOf(wallets: readonly Wallet[]): Promise<Month[]> {
  const since = new Date()
  since.setMonth(since.getMonth() - 11, 1)
  const spent = new Map<string, number>()
  for (const { id } of wallets)
    for await (const { createdAt, type, direction, amount } of transactionsOf(id)) {
      if (new Date(createdAt) < since) break
      if (!SPENDING.has(type)) continue
      const month = createdAt.slice(0, 7)
      spent.set(month, (spent.get(month) ?? 0) + (direction === 'OUT' ? 1 : -1) * Number(amount))
    }
  return [...spent]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([month, value]) => ({ month: nameOfMonth(month), spent: value }))
}

/** What the account spent by month. */
export function Spend() {
  const me = useMe()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['spend', me?.id],
    enabled: Boolean(me),
    queryFn: async () => {
      const { data: owner } = await api.GET('/wallets/user/{userId}', {
        params: { path: { userId: me?.id ?? '' } },
      })
      return monthsOf(owner?.wallets ?? [])
    },
  })
  return (
    <Page title={t('money.spend')} description={t('money.spend.text')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={1} height={280} />}
      {data?.length === 0 && (
        <Empty
          icon={IconChartBar}
          title={t('money.spend.empty')}
          text={t('money.spend.emptyText')}
          action={
            <ButtonLink to="/app/agents" search={{}}>
              {t('nav.agents')}
            </ButtonLink>
          }
        />
      )}
      {data && data.length > 0 && (
        <>
          <Paper withBorder p="md">
            <Suspense fallback={<Loading rows={1} height={280} />}>
              <MonthChart months={data} />
            </Suspense>
          </Paper>
          <DataTable
            caption={t('money.spend')}
            rows={data}
            idOf={({ month }) => month}
            columns={[
              { title: t('money.spend.month'), render: ({ month }) => month },
              { title: t('money.spend.spent'), align: 'right', render: ({ spent }) => money(spent) },
            ]}
          />
        </>
      )}
    </Page>
  )
}
