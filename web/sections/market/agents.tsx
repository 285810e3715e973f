import { Badge, Card, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconRobot, IconSearch } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../api/client.ts'
import type { Agent } from '../../api/schema.d.ts'
import { Empty } from '../../parts/empty.tsx'
import { money } from '../../parts/format.ts'
import { TextLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { PAGE_SIZE, Pager } from '../../parts/table.tsx'
import { counted, nameOf, t } from '../../texts/text.ts'

const route = getRouteApi('/public/app/agents')

/** The catalog: agents that can be hired. */
export function Agents() {
  const { search, offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/agents' })
  const query = { search, offset, limit: PAGE_SIZE }
  const { data, error, refetch, isPending } = $api.useQuery('get', '/agents', { params: { query } })
  const find = useDebouncedCallback((text: string) => void navigate({ search: { search: text } }), 250)
  return (
    <Page title={t('agents.title')} description={t('agents.text')}>
      <TextInput
        aria-label={t('agents.search')}
        placeholder={t('agents.search')}
        leftSection={<IconSearch size={18} />}
        defaultValue={search}
        onChange={event => find(event.currentTarget.value)}
        size="md"
      />
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading height={140} />}
      {data?.agents.length === 0 && (
        <Empty icon={IconRobot} title={t('agents.empty.title')} text={t('agents.empty.text')} />
      )}
      {data && data.total > 0 && (
        <Text size="sm" c="dimmed" aria-live="polite">
          {counted('agents.count', data.total)}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {data?.agents.map(agent => (
          <AgentCard key={agent.id} agent={agent} />
        ))}
      </SimpleGrid>
      {data && (
        <Pager
          total={data.total}
          isCapped={data.totalIsCapped}
          offset={offset}
          onOffset={next => void navigate({ search: { search, offset: next } })}
        />
      )}
    </Page>
  )
}

function AgentCard({ agent: { slug, name, description, pricing, trustTier, trustScore } }: { agent: Agent }) {
  return (
    <Card withBorder>
      <Stack gap="xs" justify="space-between" h="100%">
        <Title order={2} size="h4">
          <TextLink to="/app/agents/$slug" params={{ slug }} c="inherit">
            {name}
          </TextLink>
        </Title>
        <Text size="sm" c="dimmed" lineClamp={3}>
          {description}
        </Text>
        <Group justify="space-between">
          <Text fw={600}>{money(pricing.amount, pricing.currency)}</Text>
          <Badge variant="light" tt="none">
            {nameOf(trustTier)} · {trustScore}
          </Badge>
        </Group>
      </Stack>
    </Card>
  )
}
