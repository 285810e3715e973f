import { Text } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import type { AgentPayment, AgentTransaction } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE, Pager } from '../../../parts/list/pager.tsx'
import { DataTable, type Column } from '../../../parts/list/table.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { AgentFrame } from '../agent/frame.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id/payments')

/** Every movement of the agent's money, and its deals with other agents. */
export function Payments() {
  const { id } = route.useParams()
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/agents/$id/payments' })
  const read = $api.useQuery('get', '/agents/{id}/payment-history', {
    params: { path: { id }, query: { offset, limit: PAGE_SIZE } },
  })
  return (
    <AgentFrame id={id}>
      {() => (
        <>
          <ListView
            read={read}
            caption={t('selling.payments.title')}
            columns={COLUMNS}
            idOf={payment => `${payment.id} ${payment.walletId} ${payment.direction}`}
            empty={{
              icon: IconReceipt,
              title: t('selling.payments.empty.title'),
              text: t('selling.payments.empty.text'),
            }}
            paging={{
              offset,
              onOffset: (next, replace) => void navigate({ search: { offset: next || undefined }, replace }),
            }}
          />
          <AgentDeals id={id} />
        </>
      )}
    </AgentFrame>
  )
}

const COLUMNS: readonly Column<AgentPayment>[] = [
  { title: t('selling.column.when'), render: ({ createdAt }) => <When at={createdAt} /> },
  {
    title: t('selling.column.what'),
    render: ({ type, requestedService, negotiationId, memo }) =>
      negotiationId ? (
        <TextLink inherit to="/app/deals/$id" params={{ id: negotiationId }}>
          {requestedService ?? paymentName(type)}
        </TextLink>
      ) : (
        (memo ?? paymentName(type))
      ),
  },
  { title: t('selling.column.kind'), render: ({ type }) => paymentName(type) },
  {
    title: t('selling.column.amount'),
    align: 'right',
    render: ({ amount, currency, direction, test }) => (
      <>
        <Text span inherit fw={600} c={direction === 'RECEIVED' ? 'green' : undefined}>
          {direction === 'RECEIVED' ? '+' : '−'}
          {money(amount, currency)}
        </Text>
        {test && (
          <Text size="xs" c="dimmed">
            {t('selling.testCredit')}
          </Text>
        )}
      </>
    ),
  },
]

/** Kinds of postings that have a shorter name in the lists of a seller than in the statement of a wallet. */
const SHORT = /^(ap2\.|agent_to_user)/

/** A kind of posting, such as `ap2.release`, in words. */
const paymentName = (type: string): string =>
  nameOf(SHORT.test(type) ? type.replaceAll('.', '_').toUpperCase() : type)

const DEAL_COLUMNS: readonly Column<AgentTransaction>[] = [
  {
    title: t('selling.column.deal'),
    render: ({ id, requestedService }) => (
      <TextLink inherit to="/app/deals/$id" params={{ id }}>
        {requestedService}
      </TextLink>
    ),
  },
  { title: t('selling.column.side'), render: ({ role }) => nameOf(role.toUpperCase()) },
  {
    title: t('selling.column.counterparty'),
    render: ({ counterparty }) => counterparty?.name ?? t('selling.none'),
  },
  { title: t('selling.column.status'), render: ({ status }) => <Status value={status} /> },
  {
    title: t('selling.column.amount'),
    align: 'right',
    render: ({ amount, currency }) => money(amount, currency),
  },
]

function AgentDeals({ id }: { id: string }) {
  const [offset, setOffset] = useState(0)
  const { data, error, refetch } = $api.useQuery('get', '/agents/{id}/a2a-transactions', {
    params: { path: { id }, query: { offset, limit: PAGE_SIZE } },
  })
  return (
    <Panel title={t('selling.agentDeals.title')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading rows={2} />}
      {data?.total === 0 && (
        <Text size="sm" c="dimmed">
          {t('selling.agentDeals.none')}
        </Text>
      )}
      {data && data.total > 0 && (
        <DataTable
          caption={t('selling.agentDeals.title')}
          columns={DEAL_COLUMNS}
          rows={data.items}
          idOf={deal => `${deal.id} ${deal.role}`}
        />
      )}
      {data && (
        <Pager total={data.total} isCapped={data.totalIsCapped} offset={offset} onOffset={setOffset} />
      )}
    </Panel>
  )
}
