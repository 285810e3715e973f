import { Group, Grid, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { IconBolt, IconHourglass } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import { $api } from '../../api/client.ts'
import { useLiveDeals } from '../../api/live.ts'
import { asProblem } from '../../api/problem.ts'
import { Details } from '../../parts/details.tsx'
import { Empty } from '../../parts/empty.tsx'
import { dateTime, money, rate } from '../../parts/format.ts'
import { ButtonLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { Actions } from './actions/actions.tsx'
import { Deliver } from './actions/deliver.tsx'
import { Fund, FundInAnotherWay, PaymentPage, UsdcTransfer } from './actions/fund.tsx'
import { Rate } from './actions/rate.tsx'
import { isFunded, may, nextOf, otherValues, type Deal, type FundedDeal, type Side } from './deal-state.ts'
import { Deliveries } from './deliveries.tsx'
import { DisputePanel } from './dispute-panel.tsx'
import './deals.css'
import { DealStatus } from './states.tsx'
import { Talks } from './talks.tsx'
import { Terms } from './terms.tsx'
import { History } from './timeline.tsx'
import { useSide } from './use-side.ts'

const route = getRouteApi('/public/private/app/deals/$id')
const TITLE_MAX = 80

/** One deal, for both of its parties. */
export function DealPage() {
  const { id } = route.useParams()
  useLiveDeals()
  const { data, error, refetch, isPending } = $api.useQuery('get', '/ap2/negotiations/{id}', {
    params: { path: { id } },
  })
  const side = useSide(data)
  if (error && asProblem(error).code === 'NEGOTIATION_NOT_FOUND') return <NoDeal />
  return (
    <Page
      title={data ? titleOf(data) : t('deal.title')}
      description={
        data &&
        side && (
          <Group component="span" gap="sm" mt={4}>
            <DealStatus deal={data} />
            {t(side === 'buyer' ? 'deal.buyFrom' : 'deal.sellTo', otherValues(data, side))}
          </Group>
        )
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {(isPending || (data && !side)) && <Loading />}
      {data && side && <Parts deal={data} side={side} />}
    </Page>
  )
}

/** A deal that nobody accepted or paid in time can no longer be read, also where its page is still open. */
const NoDeal = () => (
  <Page title={t('deal.title')}>
    <Empty
      icon={IconHourglass}
      title={t('deal.gone')}
      text={t('deal.gone.text')}
      action={<ButtonLink to="/app/deals">{t('deal.gone.action')}</ButtonLink>}
    />
  </Page>
)

const titleOf = ({ requestedService }: Deal): string => {
  const [line = ''] = requestedService.trim().split('\n')
  return line.length > TITLE_MAX ? `${line.slice(0, TITLE_MAX)}…` : line
}

function Parts({ deal, side }: { deal: Deal; side: Side }) {
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="md">
          <NextStep deal={deal} side={side} />
          {isFunded(deal) && <DisputePanel deal={deal} side={side} />}
          {isFunded(deal) && may(deal, 'deliver') && (
            <Panel title={t('deal.deliver.title')}>
              <Deliver deal={deal} />
            </Panel>
          )}
          {isFunded(deal) && <Deliveries deal={deal} />}
          {side === 'buyer' && deal.status === 'COMPLETED' && <Rate deal={deal} />}
          <Terms deal={deal} />
          <Talks deal={deal} side={side} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Stack gap="md">
          <Money deal={deal} side={side} />
          <History deal={deal} side={side} />
        </Stack>
      </Grid.Col>
    </Grid>
  )
}

/** What happens next, with the buttons for it. */
function NextStep({ deal, side }: { deal: Deal; side: Side }) {
  const { title, text, isYours } = nextOf(deal, side)
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" aria-labelledby="next-step">
      <Stack gap="md">
        <Group wrap="nowrap" align="flex-start" gap="md">
          <ThemeIcon
            variant="light"
            size={40}
            radius="xl"
            color={isYours ? 'green' : 'gray'}
            aria-hidden
            visibleFrom="xs"
          >
            {isYours ? <IconBolt size={22} /> : <IconHourglass size={22} />}
          </ThemeIcon>
          <div aria-live="polite">
            <Title order={2} size="h4" id="next-step">
              {title}
            </Title>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          </div>
        </Group>
        {side === 'buyer' && !isSellerSuspended(deal) && <Funding deal={deal} />}
        <Actions deal={deal} side={side} />
      </Stack>
    </Paper>
  )
}

/** How the buyer pays, and what is known of a payment that is awaited. */
function Funding({ deal }: { deal: Deal }) {
  const awaited = deal.escrow?.status === 'PENDING_FUNDING' ? deal.escrow : null
  const FundForm = awaited ? FundInAnotherWay : Fund
  const form = may(deal, 'fund') && <FundForm deal={deal} side="buyer" />
  if (awaited && deal.currency === 'USDC') return <UsdcTransfer paymentId={awaited.id}>{form}</UsdcTransfer>
  return (
    <>
      <PaymentPage deal={deal} />
      {form}
    </>
  )
}

/** Nobody should pay now: the money would only be in the wallet. */
const isSellerSuspended = ({ unavailableAgent: found }: Deal): boolean =>
  found?.party === 'seller' && found.code === 'AGENT_SUSPENDED'

function Money({ deal, side }: { deal: Deal; side: Side }) {
  const { price, currency, proposedBudget } = deal
  const amount = (value: string | number) => money(value, currency)
  return (
    <Panel title={t('deal.money')}>
      <Text fz={28} fw={700} lh={1.1}>
        {amount(price)}
      </Text>
      <Details
        rows={
          isFunded(deal)
            ? fundedRows(deal, side, amount)
            : [
                [t('deal.money.budget'), amount(proposedBudget)],
                ...(deal.expiresAt ? [[t('deal.money.until'), dateTime(deal.expiresAt)] as const] : []),
              ]
        }
      />
    </Panel>
  )
}

function fundedRows(
  { escrow }: FundedDeal,
  side: Side,
  amount: (value: string) => string,
): (readonly [string, string])[] {
  const { held, released, refunded, cardRefunds, fee, feeBps, deliverBy, autoReleaseAt, status } = escrow
  // Nothing is held before the payment has arrived.
  const isPaid = status !== 'PENDING_FUNDING' && status !== 'CANCELLED'
  return [
    ...(isPaid ? [[t('deal.money.held'), amount(held)] as const] : []),
    ...(Number(released) > 0 ? [[t('deal.money.released'), amount(released)] as const] : []),
    ...(Number(refunded) > 0 ? [[t('deal.money.refunded'), amount(refunded)] as const] : []),
    ...(cardRefunds ?? []).map(each => [t(`deal.money.card.${each.status}`), amount(each.amount)] as const),
    ...(side === 'seller'
      ? [
          [t('deal.money.rate'), rate(feeBps)] as const,
          ...(Number(fee) > 0 ? [[t('deal.money.fee'), amount(fee)] as const] : []),
        ]
      : []),
    ...(status === 'HELD' && !autoReleaseAt ? [[t('deal.money.due'), dateTime(deliverBy)] as const] : []),
    ...(autoReleaseAt ? [[t('deal.money.auto'), dateTime(autoReleaseAt)] as const] : []),
  ]
}
