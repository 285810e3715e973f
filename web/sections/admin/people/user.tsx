import { Card, Group } from '@mantine/core'
import { IconBuildingStore, IconFileDollar, IconHistory, IconWallet } from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import type { AccountDetails } from '../../../api/schema.d.ts'
import { Copy } from '../../../parts/copy.tsx'
import { money, number } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { EscrowTable } from '../deals/escrow-table.tsx'
import { Details } from '../../../parts/details.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { UserActions } from './user-actions.tsx'

const route = getRouteApi('/public/private/app/admin/users/$id')

export function User() {
  const { id } = route.useParams()
  const { data, error, refetch, isPending } = $api.useQuery('get', '/admin/users/{id}', {
    params: { path: { id } },
  })
  return (
    <Page
      title={data?.displayName || t(data ? 'admin.deletedAccount' : 'admin.user.title')}
      description={data?.email || data?.username}
      actions={data && data.status !== 'DELETED' && <UserActions user={data} />}
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data && (
        <>
          <UserSummary user={data} />
          <Wallets accountId={id} />
          <Agents ownerId={id} />
          <Deals accountId={id} />
          <Events targetId={id} />
        </>
      )}
    </Page>
  )
}

function UserSummary({ user }: { user: AccountDetails }) {
  return (
    <Card withBorder>
      <Details
        rows={[
          [t('admin.state'), <Status key="state" value={user.status} />],
          [t('admin.role'), nameOf(user.role)],
          [t('admin.kind'), nameOf(user.userType)],
          [t('admin.plan'), nameOf(user.plan)],
          [t('admin.user.verified'), t(user.emailVerified ? 'admin.yes' : 'admin.no')],
          [t('admin.user.mfa'), t(user.mfaEnabled ? 'admin.yes' : 'admin.no')],
          [t('admin.user.sessions'), number(user.sessions)],
          [t('admin.user.keys'), number(user.apiKeys)],
          [t('admin.user.seen'), user.lastSeenAt ? <When key="seen" at={user.lastSeenAt} /> : '–'],
          [t('admin.since'), <When key="since" at={user.createdAt} />],
          ['Id', <Copy key="id" value={user.id} label="Id" />],
        ]}
      />
    </Card>
  )
}

function Wallets({ accountId }: { accountId: string }) {
  const read = $api.useQuery('get', '/admin/wallets', { params: { query: { accountId, limit: 100 } } })
  return (
    <Panel title={t('admin.user.wallets')}>
      <ListView
        read={read}
        caption={t('admin.user.wallets')}
        idOf={({ id }) => id}
        empty={{ icon: IconWallet, title: t('admin.user.wallets.none'), text: t('admin.user.none') }}
        columns={[
          { title: t('admin.owner'), render: ({ ownerType }) => nameOf(ownerType) },
          { title: t('admin.currency'), render: ({ currency }) => currency },
          {
            title: t('admin.balance'),
            align: 'right',
            render: ({ balance, currency }) => money(balance, currency),
          },
          {
            title: t('admin.available'),
            align: 'right',
            render: ({ available, currency }) => money(available, currency),
          },
          {
            title: t('admin.books'),
            render: ({ id }) => (
              <TextLink to="/app/admin/ledger/$account" params={{ account: `2010:${id}` }} size="sm">
                {t('admin.entries')}
              </TextLink>
            ),
          },
        ]}
      />
    </Panel>
  )
}

function Agents({ ownerId }: { ownerId: string }) {
  const [offset, setOffset] = useState(0)
  const { data, ...read } = $api.useQuery('get', '/agents', {
    params: { query: { ownerId, showAll: true, limit: PAGE_SIZE, offset } },
  })
  return (
    <Panel title={t('admin.user.agents')}>
      <ListView
        read={{ ...read, data: data && { ...data, items: data.agents } }}
        caption={t('admin.user.agents')}
        idOf={({ id }) => id}
        empty={{ icon: IconBuildingStore, title: t('admin.user.agents.none'), text: t('admin.user.none') }}
        columns={[
          {
            title: t('admin.name'),
            render: ({ slug, name }) => (
              <TextLink to="/app/agents/$slug" params={{ slug }} size="sm">
                {name}
              </TextLink>
            ),
          },
          { title: t('admin.state'), render: ({ status }) => <Status value={status} /> },
          { title: t('admin.trust'), render: ({ trustTier }) => nameOf(trustTier) },
          { title: t('admin.since'), render: ({ createdAt }) => <When at={createdAt} /> },
        ]}
        paging={{ offset, onOffset: setOffset }}
      />
    </Panel>
  )
}

function Deals({ accountId }: { accountId: string }) {
  const [offset, setOffset] = useState(0)
  const read = $api.useQuery('get', '/admin/escrows', {
    params: { query: { accountId, limit: PAGE_SIZE, offset } },
  })
  return (
    <Panel title={t('admin.user.deals')}>
      <EscrowTable
        read={read}
        empty={{ icon: IconFileDollar, title: t('admin.user.deals.none'), text: t('admin.user.none') }}
        paging={{ offset, onOffset: setOffset }}
      />
    </Panel>
  )
}

function Events({ targetId }: { targetId: string }) {
  const read = $api.useQuery('get', '/admin/audit', { params: { query: { targetId, limit: 10 } } })
  return (
    <Panel title={t('admin.user.audit')}>
      <ListView
        read={read}
        caption={t('admin.user.audit')}
        idOf={({ id }) => id}
        empty={{ icon: IconHistory, title: t('admin.audit.empty'), text: t('admin.user.none') }}
        columns={[
          { title: t('admin.time'), render: ({ at }) => <When at={at} /> },
          { title: t('admin.action'), render: ({ action }) => action },
          {
            title: t('admin.reason'),
            render: ({ details }) => <Group gap={4}>{reasonOf(details)}</Group>,
          },
        ]}
      />
      <TextLink to="/app/admin/audit" search={{ targetId }} size="sm">
        {t('admin.user.audit.all')}
      </TextLink>
    </Panel>
  )
}

const reasonOf = (details: unknown): string =>
  typeof details === 'object' && details && 'reason' in details && typeof details.reason === 'string'
    ? details.reason
    : ''
