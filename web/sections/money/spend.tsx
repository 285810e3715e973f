import { NativeSelect, Paper } from '@mantine/core'
import { IconChartBar } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useOrganizations } from '../../api/organizations.ts'
import { Empty } from '../../parts/empty.tsx'
import { money, timeZone } from '../../parts/format.ts'
import { ButtonLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { DataTable } from '../../parts/list/table.tsx'
import { language, t } from '../../texts/text.ts'
import { spentByMonth, useTotals, type SpentMonth } from './spent.ts'

const route = getRouteApi('/public/private/app/spend')
const AmountsChart = lazy(() => import('../../parts/amounts-chart.tsx'))

const nameOfMonth = (day: string): string =>
  new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(day),
  )

/** What the account, or one of its organizations, spent by month. */
export function Spend() {
  const { organization: slug } = route.useSearch()
  const organizations = useOrganizations()
  const chosen = organizations.data?.items.find(each => each.slug === slug)
  return (
    <Page
      title={t('money.spend')}
      description={`${t('money.spend.text')} ${t('money.zone', { zone: timeZone })}`}
    >
      <Owner slug={slug} organizations={organizations.data?.items ?? []} />
      {slug && !chosen ? (
        <ProblemNotice error={organizations.error} />
      ) : (
        <Months organizationId={chosen?.id} />
      )}
    </Page>
  )
}

interface OwnerProps {
  slug: string | undefined
  organizations: readonly { slug: string; name: string }[]
}

function Owner({ slug, organizations }: OwnerProps) {
  const navigate = useNavigate({ from: '/app/spend' })
  if (organizations.length === 0) return null
  return (
    <NativeSelect
      label={t('money.spend.owner')}
      maw={320}
      value={slug ?? ''}
      onChange={({ currentTarget: { value } }) =>
        void navigate({ search: { organization: value || undefined } })
      }
      data={[
        { value: '', label: t('money.spend.own') },
        ...organizations.map(({ slug: value, name: label }) => ({ value, label })),
      ]}
    />
  )
}

function Months({ organizationId }: { organizationId: string | undefined }) {
  const { data, error, isPending, refetch } = useTotals(organizationId)
  const months = data ? spentByMonth(data) : []
  return (
    <>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={1} height={280} />}
      {data && months.length === 0 && (
        <Empty
          icon={IconChartBar}
          title={t('money.spend.empty')}
          text={t('money.spend.emptyText')}
          action={
            <ButtonLink to="/app/agents" search={{}}>
              {t('deals.empty.action')}
            </ButtonLink>
          }
        />
      )}
      {months.length > 0 && <Spent months={months} />}
    </>
  )
}

function Spent({ months }: { months: readonly SpentMonth[] }) {
  const currencies = [...new Set(months.flatMap(({ amounts }) => [...amounts.keys()]))].toSorted()
  const rows = months.map(({ month, amounts }) => ({
    period: nameOfMonth(month),
    ...Object.fromEntries([...amounts].map(([currency, amount]) => [currency, Number(amount)])),
  }))
  return (
    <>
      <Paper withBorder p="md">
        <Suspense fallback={<Loading rows={1} height={260} />}>
          <AmountsChart rows={rows} currencies={currencies} label={t('money.spend')} />
        </Suspense>
      </Paper>
      <DataTable
        caption={t('money.spend')}
        rows={months}
        idOf={({ month }) => month}
        columns={[
          { title: t('money.spend.month'), render: ({ month }) => nameOfMonth(month) },
          ...currencies.map(currency => ({
            title: t('money.spend.spentIn', { currency }),
            align: 'right' as const,
            render: ({ amounts }: SpentMonth) => money(amounts.get(currency) ?? '0', currency),
          })),
        ]}
      />
    </>
  )
}
