import { Avatar, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconRobot } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../api/client.ts'
import type { Agent } from '../../api/schema.d.ts'
import { number } from '../../parts/format.ts'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { Page } from '../../parts/page.tsx'
import { ListView } from '../../parts/list/list-view.tsx'
import { Status } from '../../parts/status.tsx'
import { PAGE_SIZE } from '../../parts/list/pager.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { When } from '../../parts/when.tsx'
import { t } from '../../texts/text.ts'
import { priceOf } from '../market/price.ts'

const route = getRouteApi('/public/private/app/selling/agents')

const CREATE = (
  <ButtonLink to="/app/selling/agents/new" leftSection={<IconPlus size={18} aria-hidden />}>
    {t('selling.agents.create')}
  </ButtonLink>
)

/** The agents of the account, in every state. */
export function MyAgents() {
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/agents' })
  const read = $api.useQuery('get', '/agents/my-agents', {
    params: { query: { offset, limit: PAGE_SIZE } },
  })
  return (
    <Page title={t('selling.agents.title')} description={t('selling.agents.text')} actions={CREATE}>
      <ListView
        read={read}
        caption={t('selling.agents.title')}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={{
          icon: IconRobot,
          title: t('selling.agents.empty.title'),
          text: t('selling.agents.empty.text'),
          action: CREATE,
        }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { offset: next || undefined }, replace }),
        }}
      />
    </Page>
  )
}

const COLUMNS: readonly Column<Agent>[] = [
  {
    title: t('selling.column.agent'),
    render: ({ id, name, slug }) => (
      <Group gap="sm" wrap="nowrap">
        <Avatar name={name} color="initials" radius="md" size={34} aria-hidden />
        <Stack gap={0} miw={0}>
          <TextLink to="/app/selling/agents/$id" params={{ id }} fw={600} c="inherit">
            {name}
          </TextLink>
          <Text size="xs" c="dimmed">
            {slug}
          </Text>
        </Stack>
      </Group>
    ),
  },
  { title: t('selling.column.status'), render: ({ status }) => <Status value={status} /> },
  { title: t('selling.column.price'), render: ({ pricing }) => Object.values(priceOf(pricing)).join(' ') },
  {
    title: t('selling.column.completed'),
    align: 'right',
    render: ({ stats }) => number(stats.completions),
  },
  { title: t('selling.column.changed'), render: ({ updatedAt }) => <When at={updatedAt} /> },
]
