import { Badge, Box, Button, Group, Text } from '@mantine/core'
import { linkOptions } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, refreshReads } from '../../api/client.ts'
import type { Notification } from '../../api/schema.d.ts'
import { TextLink } from '../../parts/link.tsx'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { DataTable, type Column } from '../../parts/list/table.tsx'
import { Loading } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { When } from '../../parts/when.tsx'
import { counted, t } from '../../texts/text.ts'
import { Setting } from './setting.tsx'

/** What happened to the deals, runs and requests of the account, newest first. */
export function Inbox() {
  const [offset, setOffset] = useState(0)
  const query = { limit: PAGE_SIZE, offset }
  const { data, error, refetch } = $api.useQuery('get', '/users/me/inbox', { params: { query } })
  const read = $api.useMutation('post', '/users/me/inbox/read', {
    onSuccess: () => refreshReads('/users/me/inbox'),
  })
  return (
    <Setting title={t('inbox.title')}>
      <ProblemNotice error={error ?? read.error} retry={error ? () => void refetch() : undefined} />
      {!data && !error && <Loading rows={3} />}
      {data?.items.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('inbox.empty')}
        </Text>
      )}
      {data && data.unread > 0 && (
        <Group>
          <Text size="sm">{counted('inbox.unread', data.unread)}</Text>
          <Button
            variant="default"
            size="xs"
            loading={read.isPending}
            onClick={() => read.mutate({ body: {} })}
          >
            {t('inbox.readAll')}
          </Button>
        </Group>
      )}
      {data && data.items.length > 0 && (
        <Box w="100%">
          <DataTable caption={t('inbox.title')} columns={columns()} rows={data.items} idOf={({ id }) => id} />
        </Box>
      )}
      {data && (
        <Pager
          total={data.total}
          isCapped={data.totalIsCapped ?? false}
          offset={offset}
          onOffset={setOffset}
        />
      )}
    </Setting>
  )
}

/** Made when it is drawn: the texts are loaded by then. */
const columns = (): Column<Notification>[] => [
  { title: t('inbox.event'), render: item => <What item={item} /> },
  { title: t('inbox.when'), align: 'right', render: ({ timestamp }) => <When at={timestamp} c="dimmed" /> },
]

/** What happened, with a link to what it is about. */
function What({ item: { type, isRead, data } }: { item: Notification }) {
  const text = t(data.reason === 'NOT_APPROVED' ? 'event.run.not_approved' : `event.${type}`)
  const page = pageOf(data)
  return (
    <Group gap="xs">
      {page ? <TextLink {...page}>{text}</TextLink> : text}
      {!isRead && (
        <Badge variant="light" tt="none">
          {t('inbox.new')}
        </Badge>
      )}
    </Group>
  )
}

/** The page of a deal, a need, a run or a request, as the role of the account sees it. */
function pageOf(data: Notification['data']) {
  const { role } = data
  const idOf = (name: string): string => {
    const value = data[name]
    return typeof value === 'string' ? value : ''
  }
  const about = (name: string) => ({ params: { id: idOf(name) } })
  if (idOf('negotiationId')) return linkOptions({ to: '/app/deals/$id', ...about('negotiationId') })
  if (idOf('needId')) return linkOptions({ to: '/app/needs/$id', ...about('needId') })
  if (idOf('runId'))
    return role === 'buyer'
      ? linkOptions({ to: '/app/selling/runs/$id', ...about('runId') })
      : linkOptions({ to: '/app/selling/agents/$id/runs', ...about('agentId') })
  if (idOf('requestId'))
    return linkOptions({
      to: '/app/selling/agents/$id/inbox',
      ...about(role === 'requester' ? 'requesterAgentId' : 'responderAgentId'),
    })
  return null
}
