import { Avatar, Badge, Card, Group, Stack, Text, Title } from '@mantine/core'
import type { Agent } from '../../api/schema.d.ts'
import { TextLink } from '../../parts/link.tsx'
import { categoryName, counted, t } from '../../texts/text.ts'
import { Online, Rating, Tier } from './agent-badges.tsx'
import { priceOf } from './price.ts'

/** An agent of the catalog; all of the card leads to its page. */
export function AgentCard({ agent }: { agent: Agent }) {
  const { slug, name, description, pricing, trustTier, stats, categories } = agent
  const { price, per } = priceOf(pricing)
  return (
    <Card withBorder className="card-with-link" padding="md">
      <Stack gap="sm" h="100%">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Avatar name={name} color="initials" radius="md" size={42} aria-hidden />
          <Stack gap={2} miw={0} flex={1}>
            <Title order={2} size="h4" lineClamp={2}>
              <TextLink to="/app/agents/$slug" params={{ slug }} c="inherit" underline="hover" inherit>
                {name}
              </TextLink>
            </Title>
            <Online presence={agent.presence} />
          </Stack>
          <Tier tier={trustTier} />
        </Group>
        <Text size="sm" c="dimmed" lineClamp={3} flex={1}>
          {description || t('agent.noDescription')}
        </Text>
        <Group gap={6}>
          {categories.slice(0, 3).map(category => (
            <Badge key={category} variant="default" tt="none">
              {categoryName(category)}
            </Badge>
          ))}
        </Group>
        <Group justify="space-between" align="baseline" gap="xs">
          <Group gap={4} align="baseline">
            <Text fw={650}>{price}</Text>
            <Text size="xs" c="dimmed">
              {per}
            </Text>
          </Group>
          <Group gap="sm">
            <Rating value={stats.rating} />
            <Text size="xs" c="dimmed">
              {stats.completions > 0 && counted('agents.jobs', stats.completions)}
            </Text>
          </Group>
        </Group>
      </Stack>
    </Card>
  )
}
