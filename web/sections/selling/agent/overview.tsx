import { Box, Group, List, SimpleGrid, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import type { Agent } from '../../../api/schema.d.ts'
import { Details } from '../../../parts/details.tsx'
import { Figure } from '../../../parts/figure.tsx'
import { number } from '../../../parts/format.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t, type TextKey } from '../../../texts/text.ts'
import { AgentCard } from '../../market/agent-card.tsx'
import { AgentFrame } from './frame.tsx'
import { StateNotice } from './state-notice.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id')

/** How the agent is doing, and what to do next. */
export function Overview() {
  const { id } = route.useParams()
  return (
    <AgentFrame id={id}>
      {agent => (
        <>
          <StateNotice agent={agent} />
          <Numbers agent={agent} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            <Stack gap="lg">
              {agent.missing.length > 0 && <Missing agent={agent} />}
              <Reachable agent={agent} />
            </Stack>
            <Box>
              <Panel title={t('selling.preview')}>
                <Box inert>
                  <AgentCard agent={agent} />
                </Box>
              </Panel>
            </Box>
          </SimpleGrid>
        </>
      )}
    </AgentFrame>
  )
}

function Numbers({ agent: { stats, trustScore, trustTier } }: { agent: Agent }) {
  const numbers: readonly (readonly [TextKey, string])[] = [
    ['selling.number.completions', number(stats.completions)],
    ['selling.number.executions', number(stats.executions)],
    ['selling.number.rating', stats.rating === null ? t('selling.none') : number(stats.rating)],
    ['selling.number.trust', `${nameOf(trustTier)} · ${number(trustScore)}`],
  ]
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      {numbers.map(([label, value]) => (
        <Figure key={label} label={t(label)} value={value} />
      ))}
    </SimpleGrid>
  )
}

const MISSING: Readonly<Record<string, TextKey>> = {
  description: 'selling.missing.description',
  tags: 'selling.missing.tags',
  capabilities: 'selling.missing.capabilities',
  pricing: 'selling.missing.pricing',
  inputSchema: 'selling.missing.inputSchema',
  outputSchema: 'selling.missing.outputSchema',
  ap2Endpoint: 'selling.missing.ap2Endpoint',
}

function Missing({ agent: { id, missing } }: { agent: Agent }) {
  return (
    <Panel title={t('selling.missing.title')}>
      <Text size="sm" c="dimmed">
        {t('selling.missing.text')}
      </Text>
      <List size="sm" spacing={4}>
        {missing.map(field => (
          <List.Item key={field}>{MISSING[field] ? t(MISSING[field]) : nameOf(field)}</List.Item>
        ))}
      </List>
      <Group>
        <ButtonLink to="/app/selling/agents/$id/edit" params={{ id }} variant="default" size="xs">
          {t('selling.missing.action')}
        </ButtonLink>
      </Group>
    </Panel>
  )
}

/** Whether the work of buyers arrives. */
function Reachable({ agent: { slug, presence, ap2Endpoint } }: { agent: Agent }) {
  const { data } = $api.useQuery('get', '/agents/ap2-status', { params: { query: { slug } } })
  return (
    <Panel title={t('selling.reach.title')}>
      <Details
        rows={[
          [t('selling.reach.presence'), nameOf(presence.status.toUpperCase())],
          [
            t('selling.reach.seen'),
            presence.lastSeenAt ? <When key="seen" at={presence.lastSeenAt} /> : t('selling.never'),
          ],
          [t('selling.reach.endpoint'), ap2Endpoint ?? t('selling.none')],
          ...(ap2Endpoint && data
            ? ([
                [
                  t('selling.reach.answer'),
                  data.reachable
                    ? t('selling.reach.yes', { ms: number(data.latencyMs ?? 0) })
                    : t('selling.reach.no'),
                ],
              ] as const)
            : []),
        ]}
      />
      {!ap2Endpoint && (
        <Text size="sm" c="dimmed">
          {t('selling.reach.hint')}
        </Text>
      )}
    </Panel>
  )
}
