import { Badge, Group, Stack, Text } from '@mantine/core'
import { TextLink } from '../../../parts/link.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'
import { useAgentEvents } from './use-agent-events.ts'

/** The newest events of the agent; more appear while the page is open. */
export function LiveEvents({ agentId }: { agentId: string }) {
  const { events, isConnected } = useAgentEvents(agentId)
  return (
    <Panel
      title={t('selling.events.title')}
      actions={
        <Badge variant="light" color={isConnected ? 'teal' : 'gray'} tt="none" autoContrast>
          {t(isConnected ? 'selling.events.live' : 'selling.events.waiting')}
        </Badge>
      }
    >
      <Stack gap="xs" aria-live="polite">
        {events.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('selling.events.none')}
          </Text>
        )}
        {events.map(({ id, type, createdAt, dealId }) => (
          <Group key={id} gap="sm" justify="space-between">
            {dealId === null ? (
              <Text size="sm">{type}</Text>
            ) : (
              <TextLink to="/app/deals/$id" params={{ id: dealId }} size="sm">
                {type}
              </TextLink>
            )}
            <When at={createdAt} size="sm" c="dimmed" />
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}
