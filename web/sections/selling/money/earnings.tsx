import { Group, NativeSelect, SegmentedControl, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { api } from '../../../api/client.ts'
import type { Agent, AgentPayment } from '../../../api/schema.d.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Figure } from '../../../parts/figure.tsx'
import { monthDay, money, number } from '../../../parts/format.ts'
import { ButtonLink, TextLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { t } from '../../../texts/text.ts'
import { useMyAgents } from '../queries.ts'
import { RANGES, type Range } from '../search.ts'
import { periodsOf, useEarned, type EarnedPayment } from './earned.ts'
import { sumOf } from './micro.ts'

const route = getRouteApi('/public/private/app/selling/earnings')

/** The chart is the largest part of the console. */
const EarningsChart = lazy(() => import('./earnings-chart.tsx'))

/** What the agents earned, and what is still in escrow. */
export function Earnings() {
  const { agent: chosen, range = '30' } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/earnings' })
  const mine = useMyAgents()
  const all = mine.data?.items ?? []
  const agents = all.filter(({ id }) => chosen === undefined || id === chosen)
  return (
    <Page
      title={t('selling.earnings.title')}
      description={t('selling.earnings.text')}
      actions={
        <ButtonLink to="/app/selling/payouts" search={chosen ? { agent: chosen } : {}}>
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
  const { data, error, refetch } = useEarned(
    agents.map(({ id }) => id),
    range,
  )
  const held = useHeld(chosen)
  if (error) return <ProblemNotice error={error} retry={() => void refetch()} />
  if (!data) return <Loading height={120} rows={3} />
  const { payments, isComplete } = data
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Total label={t('selling.earnings.released')} amounts={payments} />
        <Total label={t('selling.earnings.held')} amounts={held} />
        <Figure label={t('selling.earnings.payments')} value={number(payments.length)} />
      </SimpleGrid>
      {!isComplete && <Text size="sm">{t('selling.earnings.capped')}</Text>}
      <Chart payments={payments} range={range} />
      {agents.length > 1 && <ByAgent agents={agents} payments={payments} />}
    </>
  )
}

type Amount = Pick<AgentPayment, 'amount' | 'currency'>

const currenciesOf = (amounts: readonly Amount[]): string[] => {
  const found = new Set<string>(amounts.map(({ currency }) => currency))
  return found.size ? [...found].toSorted() : ['USD']
}
const sumIn = (amounts: readonly Amount[], currency: string): string =>
  sumOf(amounts.filter(each => each.currency === currency).map(({ amount }) => amount))

function Total({ label, amounts }: { label: string; amounts: readonly Amount[] | undefined }) {
  if (!amounts) return <Skeleton h={92} radius="md" />
  return (
    <Figure
      label={label}
      value={currenciesOf(amounts)
        .map(currency => money(sumIn(amounts, currency), currency) + (currency === 'USDC' ? ' USDC' : ''))
        .join(' + ')}
    />
  )
}

function Chart({ payments, range }: { payments: readonly AgentPayment[]; range: Range }) {
  const currencies = currenciesOf(payments)
  const rows = periodsOf(payments, range).map(period => ({
    period: monthDay(period.start),
    ...Object.fromEntries(currencies.map(currency => [currency, Number(sumIn(period.payments, currency))])),
  }))
  const label = t(range === '30' ? 'selling.earnings.byDay' : 'selling.earnings.byWeek')
  return (
    <Panel title={label}>
      {payments.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('selling.earnings.none')}
        </Text>
      ) : (
        <Suspense fallback={<Skeleton h={260} aria-busy="true" />}>
          <EarningsChart rows={rows} currencies={currencies} label={label} />
        </Suspense>
      )}
    </Panel>
  )
}

function ByAgent({ agents, payments }: { agents: readonly Agent[]; payments: readonly EarnedPayment[] }) {
  const rows = agents.map(agent => ({
    agent,
    payments: payments.filter(({ agentId }) => agentId === agent.id),
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
        {
          title: t('selling.earnings.payments'),
          align: 'right',
          render: row => row.payments.length,
        },
        {
          title: t('selling.earnings.released'),
          align: 'right',
          render: row =>
            currenciesOf(row.payments)
              .map(currency => money(sumIn(row.payments, currency), currency))
              .join(' + '),
        },
      ]}
    />
  )
}

const FUNDED = ['ESCROWED', 'IN_PROGRESS', 'DELIVERED'] as const

/** What buyers have paid into escrow and not released: of up to 100 deals in each state. */
function useHeld(agentId: string | undefined): readonly Amount[] | undefined {
  const { data } = useQuery({
    queryKey: ['get', '/ap2/negotiations', 'held', agentId],
    queryFn: async () => {
      const pages = await Promise.all(
        FUNDED.map(status =>
          api.GET('/ap2/negotiations', {
            params: { query: { role: 'seller', agentId, status, limit: 100 } },
          }),
        ),
      )
      return pages.flatMap(page =>
        (page.data?.items ?? []).map(({ escrow, currency }) => ({ amount: escrow?.held ?? '0', currency })),
      )
    },
  })
  return data
}
