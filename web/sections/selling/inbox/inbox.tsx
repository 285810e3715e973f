import { Group, Text } from '@mantine/core'
import { IconInbox } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import type { AgentInbox, Negotiation, WaitingRun } from '../../../api/schema.d.ts'
import { Empty } from '../../../parts/empty.tsx'
import { money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE, Pager } from '../../../parts/list/pager.tsx'
import { DataTable, type Column } from '../../../parts/list/table.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'
import { AgentFrame } from '../agent/frame.tsx'
import { Requests } from './requests.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id/inbox')

/** What waits for the seller: offers, paid deals, runs, and requests of other agents. */
export function Inbox() {
  const { id } = route.useParams()
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/agents/$id/inbox' })
  const { data, error, refetch } = $api.useQuery(
    'get',
    '/agents/{id}/inbox',
    { params: { path: { id }, query: { offset, limit: PAGE_SIZE } } },
    { refetchInterval: 15_000 },
  )
  return (
    <AgentFrame id={id}>
      {() => (
        <>
          <ProblemNotice error={error} retry={() => void refetch()} />
          {!data && !error && <Loading />}
          {data && <Tasks inbox={data} />}
          {data && (
            <Pager
              total={data.total}
              isCapped={data.totalIsCapped}
              offset={offset}
              onOffset={(next, replace) => void navigate({ search: { offset: next || undefined }, replace })}
            />
          )}
          <Requests agentId={id} />
        </>
      )}
    </AgentFrame>
  )
}

function Tasks({ inbox: { items, runs } }: { inbox: AgentInbox }) {
  if (!items.length && !runs.length)
    return (
      <Empty icon={IconInbox} title={t('selling.inbox.empty.title')} text={t('selling.inbox.empty.text')} />
    )
  return (
    <>
      {items.length > 0 && (
        <DataTable
          caption={t('selling.inbox.deals')}
          columns={DEAL_COLUMNS}
          rows={items}
          idOf={({ id }) => id}
        />
      )}
      {runs.length > 0 && (
        <Panel title={t('selling.inbox.runs')}>
          <Text size="sm" c="dimmed">
            {t('selling.inbox.runs.text')}
          </Text>
          <DataTable
            caption={t('selling.inbox.runs')}
            columns={RUN_COLUMNS}
            rows={runs}
            idOf={({ id }) => id}
          />
        </Panel>
      )}
    </>
  )
}

/** What the agent's owner can do now, the most pressing first. */
const NEXT = ['accept', 'deliver', 'start', 'fund', 'release', 'answer'] as const

function nextStep({ allowedActions }: Negotiation): string {
  const action = NEXT.find(each => allowedActions.includes(each))
  return t(action ? `selling.inbox.next.${action}` : 'selling.inbox.next.open')
}

const DEAL_COLUMNS: readonly Column<Negotiation>[] = [
  {
    title: t('selling.column.deal'),
    render: ({ id, requestedService }) => (
      <TextLink inherit to="/app/deals/$id" params={{ id }} fw={600}>
        {requestedService}
      </TextLink>
    ),
  },
  { title: t('selling.column.status'), render: ({ status }) => <Status value={status} /> },
  { title: t('selling.column.next'), render: nextStep },
  {
    title: t('selling.column.due'),
    render: ({ deliverBy, expiresAt }) => {
      const at = deliverBy ?? expiresAt
      return at ? <When at={at} /> : t('selling.none')
    },
  },
  {
    title: t('selling.column.amount'),
    align: 'right',
    render: ({ price, currency }) => money(price, currency),
  },
]

const RUN_COLUMNS: readonly Column<WaitingRun>[] = [
  {
    title: t('selling.column.run'),
    render: ({ jobReference, createdAt }) => (
      <Group gap="xs">
        {jobReference && <Text size="sm">{jobReference}</Text>}
        <When at={createdAt} />
      </Group>
    ),
  },
  { title: t('selling.column.status'), render: ({ status }) => <Status value={status} /> },
  {
    title: t('selling.column.due'),
    render: ({ deadline }) => (deadline ? <When at={deadline} /> : t('selling.none')),
  },
  {
    title: t('selling.column.amount'),
    align: 'right',
    render: ({ price, currency }) => money(price, currency),
  },
]
