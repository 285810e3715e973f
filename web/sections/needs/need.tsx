import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconMessages } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import type { Need, Offer } from '../../api/schema.d.ts'
import { ConfirmAmount } from '../../parts/confirm-amount.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Details } from '../../parts/details.tsx'
import { date, money } from '../../parts/format.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Status } from '../../parts/status.tsx'
import { categoryName, t } from '../../texts/text.ts'
import { Requirements, requirementsOfNeed } from '../deals/requirements.tsx'
import { MakeOffer } from './make-offer.tsx'

const route = getRouteApi('/public/app/needs/$id')

/** One need with its offers: its buyer accepts one, sellers make them. */
export function NeedPage() {
  const { id } = route.useParams()
  const me = useMe()
  const {
    data: need,
    error,
    refetch,
    isPending,
  } = $api.useQuery('get', '/market/needs/{id}', { params: { path: { id } } })
  const isMine = need !== undefined && me?.id === need.buyerId
  return (
    <Page
      title={need?.title ?? t('needs.title')}
      description={need?.description && <span className="text-as-written">{need.description}</span>}
      actions={need && <Actions need={need} isMine={isMine} />}
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {need && <NeedDetails need={need} />}
      {need && <NeedRequirements need={need} />}
      {need && me && <Offers need={need} isMine={isMine} />}
    </Page>
  )
}

function NeedDetails({ need: { budget, currency, status, category, deadline, deliverBy } }: { need: Need }) {
  return (
    <Card withBorder>
      <Details
        rows={[
          [t('needs.field.budget'), money(budget, currency)],
          [t('money.column.status'), <Status key="status" value={status} />],
          [t('needs.field.category'), categoryName(category)],
          [t('needs.field.deadline'), date(deadline)],
          ...(deliverBy ? [[t('needs.field.deliverBy'), date(deliverBy)] as const] : []),
        ]}
      />
    </Card>
  )
}

/** What an accepted offer binds the seller to. */
function NeedRequirements({ need }: { need: Need }) {
  const requirements = requirementsOfNeed(need.requirements)
  return (
    requirements && (
      <Panel title={t('needs.requirements')}>
        <Requirements {...requirements} />
      </Panel>
    )
  )
}

function Actions({ need, isMine }: { need: Need; isMine: boolean }) {
  const [opened, setOpened] = useState<'offer' | 'close' | null>(null)
  const me = useMe()
  const close = () => setOpened(null)
  if (need.status !== 'OPEN') return null
  if (!me)
    return (
      <ButtonLink to="/login" search={{ next: location.pathname }}>
        {t('needs.offer')}
      </ButtonLink>
    )
  return isMine ? (
    <>
      <Button variant="default" onClick={() => setOpened('close')}>
        {t('needs.close')}
      </Button>
      <FormDialog
        title={t('needs.close')}
        confirm={t('needs.close')}
        color="red"
        opened={opened === 'close'}
        onClose={close}
        onConfirm={async () => {
          await api.POST('/market/needs/{id}/close', { params: { path: { id: need.id } } })
          await refreshReads('/market/needs')
        }}
      >
        <Text size="sm">{t('needs.close.text')}</Text>
      </FormDialog>
    </>
  ) : (
    <>
      <Button onClick={() => setOpened('offer')}>{t('needs.offer')}</Button>
      <MakeOffer need={need} opened={opened === 'offer'} onClose={close} />
    </>
  )
}

function Offers({ need, isMine }: { need: Need; isMine: boolean }) {
  const [offset, setOffset] = useState(0)
  const { data, error, isPending } = $api.useQuery('get', '/market/needs/{id}/offers', {
    params: { path: { id: need.id }, query: { limit: PAGE_SIZE, offset } },
  })
  const [accepted, setAccepted] = useState<Offer | null>(null)
  const [withdrawn, setWithdrawn] = useState<Offer | null>(null)
  const navigate = useNavigate()
  return (
    <Stack>
      <Title order={2} size="h3">
        {t('needs.offersTitle')}
      </Title>
      <ProblemNotice error={error} />
      {isPending && <Loading rows={2} />}
      {data?.items.length === 0 && (
        <Empty
          icon={IconMessages}
          title={t('needs.offers.empty')}
          text={t(isMine ? 'needs.offers.emptyMine' : 'needs.offers.emptyOther')}
        />
      )}
      {data?.items.map(offer => (
        <OfferCard
          key={offer.id}
          offer={offer}
          action={
            // A seller sees only the offers of their own agents.
            isMine ? (
              need.status === 'OPEN' && (
                <Button onClick={() => setAccepted(offer)}>{t('needs.accept')}</Button>
              )
            ) : (
              <Button variant="default" onClick={() => setWithdrawn(offer)}>
                {t('needs.withdraw')}
              </Button>
            )
          }
        />
      ))}
      {data && (
        <Pager
          total={data.total}
          isCapped={data.totalIsCapped ?? false}
          offset={offset}
          onOffset={setOffset}
        />
      )}
      <FormDialog
        title={t('needs.withdraw')}
        confirm={t('needs.withdraw')}
        color="red"
        opened={withdrawn !== null}
        onClose={() => setWithdrawn(null)}
        onConfirm={async () => {
          await api.POST('/market/offers/{id}/withdraw', { params: { path: { id: withdrawn?.id ?? '' } } })
          await refreshReads('/market/needs')
        }}
      >
        <Text size="sm">{t('needs.withdraw.text')}</Text>
      </FormDialog>
      <ConfirmAmount
        title={t('needs.accept.title', { agent: accepted?.agent.name ?? '' })}
        amount={accepted?.price ?? 0}
        currency={accepted?.currency}
        confirm={t('needs.accept')}
        opened={accepted !== null}
        onClose={() => setAccepted(null)}
        onConfirm={async () => {
          const { data: answer } = await api.POST('/market/offers/{id}/accept', {
            params: { path: { id: accepted?.id ?? '' } },
          })
          await refreshReads('/market/needs', '/ap2/negotiations')
          if (answer) await navigate({ to: '/app/deals/$id', params: { id: answer.negotiation.id } })
        }}
      >
        {t('needs.accept.text')}
      </ConfirmAmount>
    </Stack>
  )
}

interface OfferCardProps {
  offer: Offer
  /** What can be done with the offer while it is open. */
  action: ReactNode
}

function OfferCard({ offer, action }: OfferCardProps) {
  const { agent, price, currency, message, status, negotiationId, estimatedDelivery } = offer
  return (
    <Card withBorder>
      <Group justify="space-between" align="flex-start">
        <Stack gap={4}>
          <TextLink to="/app/agents/$slug" params={{ slug: agent.slug }} fw={600}>
            {agent.name}
          </TextLink>
          {message && <Text size="sm">{message}</Text>}
          {estimatedDelivery && (
            <Text size="sm" c="dimmed">
              {t('needs.estimated', { when: estimatedDelivery })}
            </Text>
          )}
        </Stack>
        <Group gap="sm">
          <Status value={status} />
          <Text fw={600}>{money(price, currency)}</Text>
          {status === 'OPEN' && action}
          {negotiationId && (
            <ButtonLink to="/app/deals/$id" params={{ id: negotiationId }} variant="default">
              {t('needs.toDeal')}
            </ButtonLink>
          )}
        </Group>
      </Group>
    </Card>
  )
}
