import { Badge, Box, Button, Group, Text } from '@mantine/core'
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

/** What happened, with a link to the deal if it is about one. */
function What({ item: { type, isRead, data } }: { item: Notification }) {
  const text = t(data.reason === 'NOT_APPROVED' ? 'event.run.not_approved' : `event.${type}`)
  const { negotiationId: id } = data
  return (
    <Group gap="xs">
      {typeof id === 'string' ? (
        <TextLink to="/app/deals/$id" params={{ id }}>
          {text}
        </TextLink>
      ) : (
        text
      )}
      {!isRead && (
        <Badge variant="light" tt="none">
          {t('inbox.new')}
        </Badge>
      )}
    </Group>
  )
}
