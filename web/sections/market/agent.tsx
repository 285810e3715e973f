import { Avatar, Badge, Button, Grid, Group, Paper, Stack, Table, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { $api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { maySignedIn } from '../../api/session.ts'
import type { Agent } from '../../api/schema.d.ts'
import { date, decimal, number } from '../../parts/format.ts'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { categoryName, counted, t } from '../../texts/text.ts'
import { Online, Rating, Tier } from './agent-badges.tsx'
import { fieldsOf } from './json-schema.ts'
import './market.css'
import { priceOf } from './price.ts'
import { Reviews } from './reviews.tsx'
import { SampleWork } from './sample-work.tsx'
import { SchemaInWords } from './schema-words.tsx'
import { Trust } from './trust.tsx'

const route = getRouteApi('/public/app/agents/$slug')

export function AgentPage() {
  const { slug } = route.useParams()
  const {
    data: agent,
    error,
    refetch,
    isPending,
  } = $api.useQuery('get', '/agents/slug/{slug}', { params: { path: { slug } } })
  return (
    <Page title={agent?.name ?? t('agents.title')} description={agent && <Header agent={agent} />}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {agent && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 4 }} order={{ base: 1, md: 2 }}>
            <Stack gap="md" pos={{ base: 'static', md: 'sticky' }} top={72}>
              <HireCard agent={agent} />
              <Details agent={agent} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 8 }} order={{ base: 2, md: 1 }}>
            <Stack gap="md">
              <About agent={agent} />
              <SampleWork agent={agent} />
              <Trust agentId={agent.id} />
              <Reviews agentId={agent.id} />
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </Page>
  )
}

function Header({ agent: { name, trustTier, presence, stats, categories } }: { agent: Agent }) {
  return (
    <Group component="span" gap="sm" mt={4}>
      <Avatar name={name} color="initials" radius="md" size={32} aria-hidden />
      <Tier tier={trustTier} />
      <Rating value={stats.rating} />
      <Online presence={presence} />
      {categories.map(category => (
        <Badge key={category} variant="default" tt="none">
          {categoryName(category)}
        </Badge>
      ))}
    </Group>
  )
}

function HireCard({ agent }: { agent: Agent }) {
  const me = useMe()
  const { price, per } = priceOf(agent.pricing)
  const { slug } = agent
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Group gap={6} align="baseline">
          <Text fz={30} fw={700} lh={1.1}>
            {price}
          </Text>
          <Text c="dimmed" size="sm">
            {per}
          </Text>
        </Group>
        {agent.status !== 'ACTIVE' ? (
          <Text size="sm">{t('agent.unavailable')}</Text>
        ) : me?.id === agent.ownerId ? (
          <Text size="sm">{t('agent.own')}</Text>
        ) : maySignedIn() ? (
          <ButtonLink to="/app/agents/$slug/hire" params={{ slug }} size="md" fullWidth>
            {t('agent.hire')}
          </ButtonLink>
        ) : (
          <Button
            component="a"
            href={`/signup?next=${encodeURIComponent(`/app/agents/${slug}/hire`)}`}
            size="md"
            fullWidth
          >
            {t('agent.hire')}
          </Button>
        )}
        <Text size="xs" c="dimmed">
          {t('agent.hire.text')}
        </Text>
      </Stack>
    </Paper>
  )
}

function Details({ agent: { id, stats, presence, pricing, createdAt } }: { agent: Agent }) {
  const rows = [
    [t('agent.detail.rating'), stats.rating === null ? t('agent.none') : `${decimal(stats.rating)} / 5`],
    [t('agent.detail.completions'), number(stats.completions)],
    ...(stats.executions > 0 ? [[t('agent.detail.executions'), number(stats.executions)]] : []),
    [t('agent.detail.presence'), t(`presence.${presence.status}`)],
    [t('agent.detail.currency'), pricing.currency],
    [t('agent.detail.since'), date(createdAt)],
  ]
  return (
    <Paper withBorder p="md">
      <Table variant="vertical" withRowBorders={false} verticalSpacing={4} aria-label={t('agent.details')}>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th fw={400} c="dimmed" bg="transparent">
                {name}
              </Table.Th>
              <Table.Td ta="right">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Network agentId={id} />
    </Paper>
  )
}

/** The agents that it has traded with. */
function Network({ agentId }: { agentId: string }) {
  const { data } = $api.useQuery('get', '/agents/{id}/network', { params: { path: { id: agentId } } })
  const others = data?.nodes.filter(({ id }) => id !== agentId) ?? []
  if (others.length === 0) return null
  return (
    <Text size="sm" mt="sm" px="xs">
      <Text span c="dimmed" inherit>
        {t('agent.network')} {counted('agent.network', others.length)}:
      </Text>{' '}
      {others.slice(0, 5).map(({ slug, name }, index) => (
        <span key={slug}>
          {index > 0 && ', '}
          <TextLink to="/app/agents/$slug" params={{ slug }} inherit>
            {name}
          </TextLink>
        </span>
      ))}
    </Text>
  )
}

function About({ agent }: { agent: Agent }) {
  const { description, capabilities, tags, inputSchema, outputSchema } = agent
  const hasInput = fieldsOf(inputSchema).length > 0
  return (
    <Panel title={t('agent.about')}>
      <Text className="text-as-written">{description || t('agent.noDescription')}</Text>
      {capabilities.length + tags.length > 0 && (
        <>
          <Text fw={600} size="sm" mt="xs">
            {t('agent.capabilities')}
          </Text>
          <Group gap={6}>
            {[...new Set([...capabilities, ...tags])].map(word => (
              <Badge key={word} variant="light" color="gray" autoContrast tt="none">
                {word}
              </Badge>
            ))}
          </Group>
        </>
      )}
      <Text fw={600} size="sm" mt="xs">
        {t('agent.input')}
      </Text>
      {hasInput ? (
        <SchemaInWords schema={inputSchema} showRequired />
      ) : (
        <Text size="sm" c="dimmed">
          {t('agent.input.free')}
        </Text>
      )}
      {fieldsOf(outputSchema).length > 0 && (
        <>
          <Text fw={600} size="sm" mt="xs">
            {t('agent.output')}
          </Text>
          <SchemaInWords schema={outputSchema} />
        </>
      )}
    </Panel>
  )
}
