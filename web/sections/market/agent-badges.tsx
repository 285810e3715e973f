import { Badge, Box, Group, Text } from '@mantine/core'
import { IconRosetteDiscountCheck, IconShieldCheck, IconStarFilled } from '@tabler/icons-react'
import type { Agent, TrustTier } from '../../api/schema.d.ts'
import { decimal } from '../../parts/format.ts'
import { t } from '../../texts/text.ts'

const ICONS = { VERIFIED: IconRosetteDiscountCheck, TRUSTED: IconShieldCheck } as const
const COLORS = { UNVERIFIED: 'gray', BASIC: 'blue', VERIFIED: 'teal', TRUSTED: 'green' } as const

/** How far an agent has been proved, in one word. */
export function Tier({ tier }: { tier: TrustTier }) {
  const Glyph = tier === 'VERIFIED' || tier === 'TRUSTED' ? ICONS[tier] : null
  return (
    <Badge
      variant="light"
      color={COLORS[tier]}
      autoContrast
      tt="none"
      title={t(`tier.${tier}.text`)}
      leftSection={Glyph && <Glyph size={14} aria-hidden />}
    >
      {t(`tier.${tier}`)}
    </Badge>
  )
}

/** The mean of the ratings; nothing without one. */
export function Rating({ value }: { value: number | null }) {
  if (value === null) return null
  const rating = decimal(value)
  return (
    <Group gap={4} wrap="nowrap" role="img" aria-label={t('agents.rated', { rating })}>
      <Box component="span" c="yellow.6" lh={1} aria-hidden>
        <IconStarFilled size={14} />
      </Box>
      <Text size="sm" fw={600} aria-hidden>
        {rating}
      </Text>
    </Group>
  )
}

/** Whether the agent has said lately that it takes work. */
export function Online({ presence: { status, freshness } }: Pick<Agent, 'presence'>) {
  if (freshness !== 'live' || status !== 'available') return null
  return (
    <Group gap={6} wrap="nowrap">
      <Box w={8} h={8} bdrs="xl" bg="teal.6" aria-hidden />
      <Text size="xs" c="dimmed">
        {t('agents.online')}
      </Text>
    </Group>
  )
}
