import { Select, SegmentedControl, SimpleGrid } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState, type ComponentProps } from 'react'
import { $api } from '../../../api/client.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Figure } from '../../../parts/figure.tsx'
import { money, number, percent } from '../../../parts/format.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { language, t } from '../../../texts/text.ts'
import { PERIODS, type Period } from '../search.ts'
import { rangeOf, stepsOf, type Range } from './period.ts'

/** Charts are large: loaded with the first one. */
const Bars = lazy(() => import('./bars.tsx'))

const route = getRouteApi('/public/private/app/developer/usage')

/** What requests to models cost, by time, tier and model, and what the routing saved. */
export function Usage() {
  const { period = '30d' } = route.useSearch()
  const navigate = useNavigate({ from: '/app/developer/usage' })
  const query = rangeOf(period)
  const { data, error, refetch, isPending } = $api.useQuery('get', '/v1/analytics/summary', {
    params: { query },
  })
  return (
    <Page
      title={t('developer.usage')}
      description={t('developer.usage.text')}
      actions={
        <SegmentedControl<Period>
          aria-label={t('developer.usage.period')}
          data={PERIODS.map(value => ({ value, label: t(`developer.period.${value}`) }))}
          value={period}
          onChange={next => void navigate({ search: { period: next } })}
        />
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={3} height={120} />}
      {data?.requests === 0 && (
        <Empty
          icon={IconChartBar}
          title={t('developer.usage.empty')}
          text={t('developer.usage.emptyText')}
          action={<ButtonLink to="/app/developer/playground">{t('nav.playground')}</ButtonLink>}
        />
      )}
      {data && data.requests > 0 && (
        <>
          <SimpleGrid cols={{ base: 2, md: 4 }}>
            <Figure label={t('developer.usage.cost')} value={dollars(data.costUsd)}>
              {t('developer.usage.fee', { amount: dollars(data.feeUsd) })}
            </Figure>
            <Figure label={t('developer.usage.requests')} value={number(data.requests)}>
              {t('developer.usage.errors', { share: percent(data.errorRate) })}
            </Figure>
            <Figure label={t('developer.usage.tokens')} value={number(data.tokens)}>
              {t('developer.usage.cached', { count: number(data.cachedTokens) })}
            </Figure>
            <Figure
              label={t('developer.usage.latency')}
              value={t('developer.ms', { count: number(data.avgLatencyMs) })}
            />
          </SimpleGrid>
          <OverTime period={period} />
          <Savings range={query} />
          <ByTier range={query} />
          <ByModel range={query} />
        </>
      )}
    </Page>
  )
}

const dollars = (amount: string | number) => money(amount, 'USD')

function OverTime({ period }: { period: Period }) {
  const steps = stepsOf(period)
  const answers = useQueries({
    queries: steps.map(query => $api.queryOptions('get', '/v1/analytics/summary', { params: { query } })),
  })
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const shown = steps.map(({ from }, at) => ({
    name: day.format(new Date(from)),
    cost: Number(answers[at]?.data?.costUsd ?? 0) + Number(answers[at]?.data?.feeUsd ?? 0),
    requests: answers[at]?.data?.requests ?? 0,
  }))
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <BarPanel
        title={t('developer.usage.overTime')}
        unit={t('developer.usage.cost')}
        format={dollars}
        bars={shown.map(({ name, cost: value }) => ({ name, value }))}
      />
      <BarPanel
        isCount
        title={t('developer.usage.requestsOverTime')}
        unit={t('developer.usage.requests')}
        format={number}
        bars={shown.map(({ name, requests: value }) => ({ name, value }))}
      />
    </SimpleGrid>
  )
}

function BarPanel({ title, ...bars }: Omit<ComponentProps<typeof Bars>, 'label'> & { title: string }) {
  return (
    <Panel title={title}>
      <Suspense fallback={<Loading rows={1} height={260} />}>
        <Bars {...bars} label={title} />
      </Suspense>
    </Panel>
  )
}

function Savings({ range }: { range: Range }) {
  const { data: models } = $api.useQuery('get', '/v1/models', {})
  const [baseline, setBaseline] = useState<string | null>(null)
  const query = { ...range, ...(baseline ? { baselineModel: baseline } : {}) }
  const { data, error } = $api.useQuery('get', '/v1/analytics/savings', { params: { query } })
  return (
    <Panel title={t('developer.savings')}>
      <ProblemNotice error={error} />
      <Select
        label={t('developer.savings.baseline')}
        description={t('developer.savings.text')}
        data={models?.data.map(({ id }) => id) ?? []}
        value={data?.baselineModel ?? baseline}
        onChange={setBaseline}
        allowDeselect={false}
        searchable
        maw={460}
      />
      {data && (
        <>
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <Figure label={t('developer.savings.there')} value={dollars(data.baselineUsd)} />
            <Figure label={t('developer.savings.here')} value={dollars(data.actualUsd)} />
            <Figure label={t('developer.savings.saved')} value={dollars(data.savedUsd)}>
              {percent(data.savedPct / 100)}
            </Figure>
          </SimpleGrid>
          <Suspense fallback={<Loading rows={1} height={180} />}>
            <Bars
              isHorizontal
              label={t('developer.savings.chart')}
              unit={t('developer.usage.cost')}
              format={dollars}
              bars={[
                { name: t('developer.savings.there'), value: Number(data.baselineUsd) },
                { name: t('developer.savings.here'), value: Number(data.actualUsd) },
              ]}
            />
          </Suspense>
        </>
      )}
    </Panel>
  )
}

function ByTier({ range: query }: { range: Range }) {
  const { data, error } = $api.useQuery('get', '/v1/analytics/by-tier', { params: { query } })
  if (!data) return <ProblemNotice error={error} />
  return (
    <BarPanel
      isHorizontal
      title={t('developer.usage.byTier')}
      unit={t('developer.usage.cost')}
      format={dollars}
      bars={data.data.map(({ tier, costUsd, feeUsd }) => ({
        name: t(`developer.tier.${tier}`),
        value: Number(costUsd) + Number(feeUsd),
      }))}
    />
  )
}

function ByModel({ range: query }: { range: Range }) {
  const { data, error } = $api.useQuery('get', '/v1/analytics/by-model', { params: { query } })
  return (
    <Panel title={t('developer.usage.byModel')}>
      <ProblemNotice error={error} />
      {data && (
        <DataTable
          caption={t('developer.usage.byModel')}
          rows={data.data}
          idOf={({ model }) => model}
          columns={[
            { title: t('developer.model'), render: ({ model }) => model },
            { title: t('developer.models.tier'), render: ({ tier }) => t(`developer.tier.${tier}`) },
            {
              title: t('developer.usage.requests'),
              align: 'right',
              render: ({ requests }) => number(requests),
            },
            { title: t('developer.usage.tokens'), align: 'right', render: ({ tokens }) => number(tokens) },
            { title: t('developer.usage.cost'), align: 'right', render: ({ costUsd }) => dollars(costUsd) },
          ]}
        />
      )}
    </Panel>
  )
}
