import { Button, SimpleGrid, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import type { Affiliate, AffiliateDashboard } from '../../api/schema.d.ts'
import { ConfirmAmount } from '../../parts/confirm-amount.tsx'
import { Details } from '../../parts/details.tsx'
import { Figure } from '../../parts/figure.tsx'
import { money, number, percent, rate } from '../../parts/format.ts'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { counted, t } from '../../texts/text.ts'
import { CommissionTable } from './commission-table.tsx'
import { Links } from './links.tsx'

/** Charts are large: loaded with the first one. */
const SeriesChart = lazy(() => import('./series-chart.tsx'))

const SUMS = ['expected', 'pending', 'available', 'paid'] as const

/** What the links have brought, and what is earned with them. */
export function Dashboard({ affiliate }: { affiliate: Affiliate }) {
  const { data, error, refetch, isPending } = $api.useQuery('get', '/affiliates/dashboard', {})
  return (
    <Page
      title={t('affiliate.title')}
      description={t('affiliate.text')}
      actions={data && <Payout dashboard={data} />}
    >
      <Links affiliate={affiliate} />
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={3} height={120} />}
      {data && <Results dashboard={data} />}
      <Terms affiliate={affiliate} />
    </Page>
  )
}

function Results({ dashboard }: { dashboard: AffiliateDashboard }) {
  const { clicks, signups, conversions, commissions, commissionsUsdc, series, bots, repeats } = dashboard
  const hasUsdc = SUMS.some(name => Number(commissionsUsdc[name]) > 0)
  return (
    <>
      <Sums sums={commissions} currency="USD" />
      {hasUsdc && <Sums sums={commissionsUsdc} currency="USDC" />}
      <Panel title={t('affiliate.visits')}>
        <SimpleGrid cols={{ base: 2, sm: 3 }}>
          <Figure label={t('affiliate.clicks')} value={number(clicks)}>
            {t('affiliate.uncounted', { bots: number(bots), repeats: number(repeats) })}
          </Figure>
          <Figure label={t('affiliate.signups')} value={number(signups)}>
            {clicks > 0 && t('affiliate.rate', { share: percent(signups / clicks) })}
          </Figure>
        </SimpleGrid>
        <Suspense fallback={<Loading rows={1} height={240} />}>
          <SeriesChart series={series} />
        </Suspense>
      </Panel>
      <Panel
        title={t('affiliate.conversions')}
        actions={
          <TextLink to="/app/affiliate/commissions" search={{}}>
            {t('affiliate.all')}
          </TextLink>
        }
      >
        {conversions.length === 0 ? (
          <Text c="dimmed">{t('affiliate.conversions.empty')}</Text>
        ) : (
          <CommissionTable commissions={conversions} />
        )}
      </Panel>
    </>
  )
}

function Sums({ sums, currency }: { sums: AffiliateDashboard['commissions']; currency: string }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      {SUMS.map(name => (
        <Figure key={name} label={t(`affiliate.sum.${name}`)} value={money(sums[name], currency)}>
          {t(`affiliate.sum.${name}.text`)}
        </Figure>
      ))}
    </SimpleGrid>
  )
}

function Payout({ dashboard: { commissions, commissionsUsdc } }: { dashboard: AffiliateDashboard }) {
  const [isAsking, setAsking] = useState(false)
  const available = [
    { amount: commissions.available, currency: 'USD' },
    { amount: commissionsUsdc.available, currency: 'USDC' },
  ].filter(({ amount }) => Number(amount) > 0)
  const [first, other] = available
  return (
    <>
      <ButtonLink to="/app/affiliate/commissions" search={{}} variant="default">
        {t('affiliate.commissions')}
      </ButtonLink>
      <Button disabled={!first} onClick={() => setAsking(true)}>
        {t('affiliate.payout')}
      </Button>
      <ConfirmAmount
        title={t('affiliate.payoutTitle')}
        amount={first?.amount ?? 0}
        currency={first?.currency}
        confirm={t('affiliate.payout')}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await api.POST('/affiliates/payout')
          await refreshReads('/affiliates', '/wallets')
        }}
      >
        {other && <Text ta="center">+ {money(other.amount, other.currency)}</Text>}
        {t('affiliate.payoutText')}
      </ConfirmAmount>
    </>
  )
}

function Terms({ affiliate: { tier, rateBps, level2Bps, months, holdDays } }: { affiliate: Affiliate }) {
  return (
    <Panel title={t('affiliate.plan')}>
      <Details
        rows={[
          [t('affiliate.plan.tier'), t(`affiliate.tier.${tier}`)],
          [t('affiliate.plan.rate'), t('affiliate.plan.ofFee', { share: rate(rateBps) })],
          ...(level2Bps
            ? [[t('affiliate.plan.level2'), t('affiliate.plan.ofFee', { share: rate(level2Bps) })] as const]
            : []),
          [t('affiliate.plan.months'), counted('affiliate.plan.monthsValue', months)],
          [t('affiliate.plan.hold'), counted('affiliate.plan.holdValue', holdDays)],
        ]}
      />
    </Panel>
  )
}
