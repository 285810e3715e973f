import { Alert, Box, Button, Group, SimpleGrid, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../api/client.ts'
import type { Plan as PlanRecord, Subscription } from '../../api/schema.d.ts'
import { ConfirmAmount } from '../../parts/confirm-amount.tsx'
import { date, money, rate } from '../../parts/format.ts'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Status } from '../../parts/status.tsx'
import { DataTable, type Column } from '../../parts/list/table.tsx'
import { t } from '../../texts/text.ts'
import { Setting } from './setting.tsx'
import { CancelPlan } from './plan-cancel.tsx'

/** The plan of the account, what it costs, and its invoices. */
export function Plan() {
  const plans = $api.useQuery('get', '/subscriptions/plans')
  const mine = $api.useQuery('get', '/subscriptions/me')
  const error = plans.error ?? mine.error
  return (
    <Page title={t('plan.title')} description={t('plan.text')}>
      <ProblemNotice error={error} retry={() => void Promise.all([plans.refetch(), mine.refetch()])} />
      {!error && !(plans.data && mine.data) && <Loading rows={2} height={140} />}
      {plans.data && mine.data && (
        <>
          <State subscription={mine.data} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {plans.data.items.map(plan => (
              <PlanCard key={plan.id} plan={plan} subscription={mine.data} />
            ))}
          </SimpleGrid>
          <Invoices invoices={mine.data.invoices} />
        </>
      )}
    </Page>
  )
}

/** What will become of a paid plan. */
function State({
  subscription: { graceUntil, currentPeriodEnd, cancelsAtPeriodEnd, endedAt },
}: {
  subscription: Subscription
}) {
  if (graceUntil !== null) return <Alert color="orange">{t('plan.grace', { date: date(graceUntil) })}</Alert>
  // The last month stays in the record of a plan that has ended.
  if (currentPeriodEnd === null || endedAt !== null) return null
  return (
    <Alert color={cancelsAtPeriodEnd ? 'yellow' : 'green'}>
      {t(cancelsAtPeriodEnd ? 'plan.ends' : 'plan.renews', { date: date(currentPeriodEnd) })}
    </Alert>
  )
}

function PlanCard({ plan, subscription }: { plan: PlanRecord; subscription: Subscription }) {
  const isCurrent = subscription.plan === plan.id
  const isPaid = Number(plan.price) > 0
  return (
    <Setting title={plan.name}>
      <Title order={3}>{isPaid ? t('plan.perMonth', { amount: money(plan.price) }) : t('plan.free')}</Title>
      <Text size="sm">{t('plan.fee', { rate: rate(plan.feeRate * 10_000) })}</Text>
      {isCurrent && <Text fw={600}>{t('plan.current')}</Text>}
      {isPaid && <Subscribe plan={plan} subscription={subscription} />}
      {isPaid && isCurrent && !subscription.cancelsAtPeriodEnd && <CancelPlan subscription={subscription} />}
    </Setting>
  )
}

/** How the plan is paid; one that was cancelled goes on as it was paid before. */
type Way = 'fromWallet' | 'byCard' | 'continue'

/** What pays; one that continues names nothing, so that what paid before pays again. */
function sourceOf(way: Way | null) {
  if (way === 'continue') return {}
  if (way !== 'byCard') return { rail: 'wallet' } as const
  const back = location.href
  return { rail: 'checkout', returnUrl: back, cancelUrl: back } as const
}

function Subscribe({ plan, subscription }: { plan: PlanRecord; subscription: Subscription }) {
  const [asked, setAsked] = useState<Way | null>(null)
  const checkout = $api.useMutation('post', '/subscriptions/checkout')
  const { plan: current, cancelsAtPeriodEnd, graceUntil, renewsFrom } = subscription
  const isContinued = current === plan.id && cancelsAtPeriodEnd
  if (current === plan.id && !cancelsAtPeriodEnd && graceUntil === null) return null
  const pay = async () => {
    const result = await checkout.mutateAsync({ body: { plan: 'PRO', ...sourceOf(asked) } })
    await refreshReads('/subscriptions', '/users/me', '/wallets')
    if (result.checkout) location.assign(result.checkout.url)
  }
  const ways: readonly Way[] = isContinued ? ['continue'] : ['fromWallet', 'byCard']
  return (
    <>
      <Group>
        {ways.map(way => (
          <Button key={way} variant={way === 'byCard' ? 'default' : 'filled'} onClick={() => setAsked(way)}>
            {t(`plan.${way}`)}
          </Button>
        ))}
      </Group>
      <ConfirmAmount
        title={t(isContinued ? 'plan.continueTitle' : 'plan.confirmTitle', { plan: plan.name })}
        amount={plan.price}
        confirm={t(isContinued ? 'plan.continue' : 'plan.pay')}
        opened={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={pay}
      >
        {t(`plan.${asked ?? 'fromWallet'}.text`)}
        {isContinued && renewsFrom && ` ${t(`plan.continue.${renewsFrom}`)}`}
      </ConfirmAmount>
    </>
  )
}

type Invoice = Subscription['invoices'][number]

function Invoices({ invoices }: { invoices: readonly Invoice[] }) {
  if (invoices.length === 0) return null
  const columns: Column<Invoice>[] = [
    {
      title: t('plan.period'),
      render: ({ periodStart, periodEnd }) =>
        periodStart && periodEnd ? `${date(periodStart)} – ${date(periodEnd)}` : '–',
    },
    { title: t('plan.status'), render: ({ status }) => <Status value={status} /> },
    { title: t('plan.amount'), align: 'right', render: ({ amount }) => money(amount) },
  ]
  return (
    <Setting title={t('plan.invoices')}>
      <Box w="100%">
        <DataTable caption={t('plan.invoices')} columns={columns} rows={invoices} idOf={({ id }) => id} />
      </Box>
    </Setting>
  )
}
