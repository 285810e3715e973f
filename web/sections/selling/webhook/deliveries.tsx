import { Button, NativeSelect, Stack, Text } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api, refreshReads } from '../../../api/client.ts'
import type { AgentWebhookDelivery } from '../../../api/schema.d.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import type { Column } from '../../../parts/list/table.tsx'
import { When } from '../../../parts/when.tsx'
import { checkFailure, nameOf, t } from '../../../texts/text.ts'
import { DELIVERY_STATES } from '../search.ts'

const route = getRouteApi('/public/private/app/selling/agents/$id/webhook')

/** What was sent to the webhook, and how it went. */
export function Deliveries({ agentId }: { agentId: string }) {
  const { status, offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/agents/$id/webhook' })
  const read = $api.useQuery(
    'get',
    '/agents/{id}/webhook/deliveries',
    { params: { path: { id: agentId }, query: { status, offset, limit: PAGE_SIZE } } },
    { refetchInterval: 10_000 },
  )
  return (
    <Panel
      title={t('selling.deliveries.title')}
      actions={
        <NativeSelect
          aria-label={t('selling.deliveries.filter')}
          value={status ?? ''}
          onChange={({ currentTarget: { value } }) => {
            const next = DELIVERY_STATES.find(each => each === value)
            void navigate({ search: next ? { status: next } : {} })
          }}
          data={[
            { value: '', label: t('selling.deliveries.all') },
            ...DELIVERY_STATES.map(value => ({ value, label: nameOf(value) })),
          ]}
        />
      }
    >
      <ListView
        read={read}
        caption={t('selling.deliveries.title')}
        columns={[
          ...COLUMNS,
          {
            title: t('selling.column.actions'),
            isActions: true,
            render: delivery => <Replay agentId={agentId} delivery={delivery} />,
          },
        ]}
        idOf={({ id }) => id}
        empty={t('selling.deliveries.none')}
        paging={{
          offset,
          onOffset: (next, replace) =>
            void navigate({ search: { status, offset: next || undefined }, replace }),
        }}
      />
    </Panel>
  )
}

/** The API says in English that an endpoint answered, and with which status: the status alone is enough. */
function answerOf({ responseStatus: status, error, errorCode }: AgentWebhookDelivery): string {
  if (status !== null) return t('selling.deliveries.answered', { status })
  if (error === null) return t('selling.none')
  return t('selling.deliveries.noAnswer', { reason: checkFailure(errorCode, error) })
}

/** Types of events whose subject is a deal: others are about runs, requests and offers. */
const IS_OF_DEAL = /^(negotiation|deal|dispute)\./

const COLUMNS: readonly Column<AgentWebhookDelivery>[] = [
  {
    title: t('selling.column.event'),
    render: ({ type, subjectId }) =>
      IS_OF_DEAL.test(type) ? (
        <TextLink inherit to="/app/deals/$id" params={{ id: subjectId }}>
          {type}
        </TextLink>
      ) : (
        type
      ),
  },
  { title: t('selling.column.status'), render: ({ status }) => <Status value={status} /> },
  {
    title: t('selling.column.answer'),
    render: delivery => (
      <Text size="sm" lineClamp={2}>
        {answerOf(delivery)}
      </Text>
    ),
  },
  { title: t('selling.test.attempts'), align: 'right', render: ({ attempts }) => attempts },
  {
    title: t('selling.column.sent'),
    render: ({ lastAttemptAt, createdAt, nextAttemptAt }) => (
      <Stack gap={0}>
        <When at={lastAttemptAt ?? createdAt} />
        {nextAttemptAt && (
          <Text size="xs" c="dimmed">
            {t('selling.deliveries.next')} <When at={nextAttemptAt} />
          </Text>
        )}
      </Stack>
    ),
  },
]

interface ReplayProps {
  agentId: string
  delivery: AgentWebhookDelivery
}

function Replay({ agentId, delivery: { id, type, status } }: ReplayProps) {
  const replay = $api.useMutation('post', '/agents/{id}/webhook/deliveries/{deliveryId}/replay')
  if (status === 'PENDING') return null
  return (
    <Stack gap={4}>
      <Button
        size="xs"
        variant="default"
        loading={replay.isPending}
        aria-label={`${t('selling.deliveries.replay')}: ${type}`}
        onClick={() =>
          replay.mutate(
            { params: { path: { id: agentId, deliveryId: id } } },
            { onSuccess: () => void refreshReads('/agents/{id}/webhook/deliveries') },
          )
        }
      >
        {t('selling.deliveries.replay')}
      </Button>
      <ProblemNotice error={replay.error} />
    </Stack>
  )
}
