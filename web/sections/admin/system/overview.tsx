import { Card, Group, SimpleGrid, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { $api } from '../../../api/client.ts'
import type { AdminOverview } from '../../../api/schema.d.ts'
import { number } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { Panel } from '../../../parts/panel.tsx'
import { HealthCards } from './health.tsx'

const Charts = lazy(() => import('./charts.tsx'))
const DAYS = 30

/** What waits for an operator, how business goes, and whether the service works. */
export function Overview() {
  const { data, error, refetch, isPending } = $api.useQuery('get', '/admin/overview', {
    params: { query: { days: DAYS } },
  })
  return (
    <Page title={t('admin.overview.title')} description={t('admin.overview.text')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data && (
        <>
          <Panel title={t('admin.work')}>
            <OpenWork work={data.openWork} />
          </Panel>
          <Panel title={t('admin.figures', { days: DAYS })}>
            <Suspense fallback={<Loading rows={2} height={180} />}>
              <Charts days={data.days} />
            </Suspense>
          </Panel>
          <Panel title={t('admin.health.title')}>
            <HealthCards />
          </Panel>
        </>
      )}
    </Page>
  )
}

/** Kinds of open work, each with the page where it is done. */
const PLACES = {
  agentReviews: { to: '/app/admin/agents' },
  approvals: { to: '/app/admin/approvals' },
  disputes: { to: '/app/admin/escrows' },
  frozenEscrows: { to: '/app/admin/escrows', search: { status: 'FROZEN' } },
  chargebacks: { to: '/app/admin/chargebacks', search: { status: 'NEEDS_RESPONSE' } },
  suspense: { to: '/app/admin/suspense' },
  unclaimed: { to: '/app/admin/suspense', search: { kind: 'unclaimed' } },
  transfers: { to: '/app/admin/suspense', search: { kind: 'transfers' } },
  payouts: { to: '/app/admin/payouts', search: { status: 'REVIEW' } },
  affiliateReviews: { to: '/app/admin/affiliates', search: { status: 'PENDING' } },
  fraudHolds: { to: '/app/admin/affiliates', search: { tab: 'commissions', status: 'FRAUD_HOLD' } },
  differences: { to: '/app/admin/reconciliation' },
} as const

function OpenWork({ work }: { work: AdminOverview['openWork'] }) {
  const kinds = Object.entries(PLACES) as [keyof typeof PLACES, (typeof PLACES)[keyof typeof PLACES]][]
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }}>
      {kinds.map(([kind, place]) => (
        <Card key={kind} withBorder padding="sm">
          <Group justify="space-between" wrap="nowrap" align="baseline">
            <TextLink {...place} size="sm" c={work[kind] ? undefined : 'dimmed'}>
              {t(`admin.work.${kind}`)}
            </TextLink>
            <Text fw={700} fz="xl" c={work[kind] ? undefined : 'dimmed'}>
              {number(work[kind])}
            </Text>
          </Group>
        </Card>
      ))}
    </SimpleGrid>
  )
}
