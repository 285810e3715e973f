import { Group, NativeSelect, SegmentedControl, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { api } from '../../../api/client.ts'
import { allOf } from '../../../api/items.ts'
import type { Agent, WalletTotals } from '../../../api/schema.d.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Figure } from '../../../parts/figure.tsx'
import { monthDay, money, number } from '../../../parts/format.ts'
import { ButtonLink, TextLink } from '../../../parts/link.tsx'
import { sumOf } from '../../../parts/micro.ts'
import { Loading, Page } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { t } from '../../../texts/text.ts'
import { useMyAgents } from '../queries.ts'
import { RANGES, type Range } from '../search.ts'
import { earnedOf, periodsOf, useEarned } from './earned.ts'

const route = getRouteApi('/public/private/app/selling/earnings')

const AmountsChart = lazy(() => import('../../../parts/amounts-chart.tsx'))

/** What the agents earned, and what is still in escrow. */
export function Earnings() {
  const { agent: chosen, range = '30' } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/earnings' })
  const mine = useMyAgents()
  const all = mine.data?.items ?? []
  const agents = all.filter(({ id }) => chosen === undefined || id === chosen)
  // Of several agents the payouts ask whose money it is.
  const [earner] = agents.length === 1 ? agents : []
  return (
    <Page
      title={t('selling.earnings.title')}
      description={t('selling.earnings.text')}
      actions={
        <ButtonLink to="/app/selling/payouts" search={earner ? { agent: earner.id } : {}}>
          {t('selling.earnings.payOut')}
        </ButtonLink>
      }
    >
      <ProblemNotice error={mine.error} retry={() => void mine.refetch()} />
      {mine.isPending && <Loading />}
      {mine.data?.total === 0 && (
        <Empty
          icon={IconChartBar}
          title={t('selling.earnings.empty.title')}
          text={t('selling.earnings.empty.text')}
          action={<ButtonLink to="/app/selling/agents/new">{t('selling.agents.create')}</ButtonLink>}
        />
      )}
      {all.length > 0 && (
        <>
          <Group justify="space-between">
            <NativeSelect
              aria-label={t('selling.earnings.agent')}
              value={chosen ?? ''}
              onChange={({ currentTarget: { value } }) =>
                void navigate({ search: { range, agent: value || undefined } })
              }
              data={[
                { value: '', label: t('selling.earnings.allAgents') },
                ...all.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
            <SegmentedControl
              aria-label={t('selling.earnings.range')}
              value={range}
              onChange={value =>
                void navigate({
                  search: { agent: chosen, range: RANGES.find(each => each === value) },
                })
              }
              data={RANGES.map(value => ({ value, label: t(`selling.earnings.range.${value}`) }))}
            />
          </Group>
          <Earned agents={agents} range={range} chosen={chosen} />
        </>
      )}
    </Page>
  )
}

interface EarnedProps {
  agents: readonly Agent[]
  range: Range
  chosen: string | undefined
}

function Earned({ agents, range, chosen }: EarnedProps) {
  const { data, error, refetch } = useEarned(chosen, range)
  const held = useHeld(chosen)
  if (error) return <ProblemNotice error={error} retry={() => void refetch()} />
  if (!data) return <Loading height={120} rows={3} />
  const { count, amounts } = earnedOf(data.periods)
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Figure label={t('selling.earnings.released')} value={inWords(amounts)} />
        {held ? (
          <Figure label={t('selling.earnings.held')} value={inWords(held)} />
        ) : (
          <Skeleton h={92} radius="md" />
        )}
        <Figure label={t('selling.earnings.payments')} value={number(count)} />
      </SimpleGrid>
      <Chart totals={data} range={range} isEmpty={count === 0} />
      {agents.length > 1 && <ByAgent agents={agents} totals={data.wallets} />}
    </>
  )
}

const inWords = (amounts: ReadonlyMap<string, string>): string =>
  [...amounts].map(([currency, amount]) => money(amount, currency)).join(' + ')

interface ChartProps {
  totals: WalletTotals
  range: Range
  isEmpty: boolean
}

function Chart({ totals, range, isEmpty }: ChartProps) {
  const currencies = [...earnedOf(totals.periods).amounts.keys()]
  const rows = periodsOf(totals.periods, range).map(({ start, sum }) => ({
    period: monthDay(start),
    ...Object.fromEntries(currencies.map(currency => [currency, Number(sum.amounts.get(currency) ?? 0)])),
  }))
  const label = t(range === '30' ? 'selling.earnings.byDay' : 'selling.earnings.byWeek')
  return (
    <Panel title={label}>
      {isEmpty ? (
        <Text size="sm" c="dimmed">
          {t('selling.earnings.none')}
        </Text>
      ) : (
        <Suspense fallback={<Skeleton h={260} aria-busy="true" />}>
          <AmountsChart rows={rows} currencies={currencies} label={label} />
        </Suspense>
      )}
    </Panel>
  )
}

function ByAgent({ agents, totals }: { agents: readonly Agent[]; totals: WalletTotals['wallets'] }) {
  const rows = agents.map(agent => ({
    agent,
    sum: earnedOf(totals.filter(({ ownerId }) => ownerId === agent.id)),
  }))
  return (
    <DataTable
      caption={t('selling.earnings.byAgent')}
      rows={rows}
      idOf={({ agent }) => agent.id}
      columns={[
        {
          title: t('selling.column.agent'),
          render: ({ agent: { id, name } }) => (
            <TextLink inherit to="/app/selling/agents/$id/payments" params={{ id }}>
              {name}
            </TextLink>
          ),
        },
        { title: t('selling.earnings.payments'), align: 'right', render: ({ sum }) => number(sum.count) },
        {
          title: t('selling.earnings.released'),
          align: 'right',
          render: ({ sum }) => inWords(sum.amounts),
        },
      ]}
    />
  )
}

const FUNDED = ['ESCROWED', 'IN_PROGRESS', 'DELIVERED'] as const

/** What buyers have paid into escrow and not released, by currency. */
function useHeld(agentId: string | undefined): ReadonlyMap<string, string> | undefined {
  const { data } = useQuery({
    queryKey: ['get', '/ap2/negotiations', 'held', agentId],
    queryFn: async () => {
      const inState = (status: (typeof FUNDED)[number]) =>
        allOf(async page => {
          const query = { role: 'seller', agentId, status, ...page } as const
          return (await api.GET('/ap2/negotiations', { params: { query } })).data?.items
        })
      const deals = (await Promise.all(FUNDED.map(inState))).flat()
      const currencies = new Set(deals.map(({ currency }) => currency))
      const heldIn = (currency: string) =>
        sumOf(deals.map(deal => (deal.currency === currency ? (deal.escrow?.held ?? '0') : '0')))
      return new Map(
        [...(currencies.size ? currencies : ['USD'])].map(currency => [currency, heldIn(currency)]),
      )
    },
  })
  return data
}
