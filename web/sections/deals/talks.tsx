import { Group, Stack, Text } from '@mantine/core'
import { money } from '../../parts/format.ts'
import { Panel } from '../../parts/panel.tsx'
import { When } from '../../parts/when.tsx'
import { t, type TextKey } from '../../texts/text.ts'
import { otherPartyFirst, type Deal, type Side } from './deal-state.ts'

/** The offers and answers of both parties, in their order. */
export function Talks({ deal, side }: { deal: Deal; side: Side }) {
  if (deal.rounds.length < 2 && !deal.rounds.some(({ notes, terms }) => notes ?? terms)) return null
  return (
    <Panel title={t('deal.talks')}>
      <Stack gap="sm" component="ol" className="plain-list">
        {deal.rounds.map(({ action, by, price, notes, terms, estimatedDelivery, at }, index) => {
          const who = by === side ? t('deal.you') : otherPartyFirst(deal, side)
          return (
            <li key={index}>
              <Group gap="xs">
                <Text size="sm" fw={600}>
                  {t(`deal.round.${action}` as TextKey, { who, price: money(price, deal.currency) })}
                </Text>
                <Text size="xs" c="dimmed">
                  <When at={at} />
                </Text>
              </Group>
              {[notes, terms, estimatedDelivery].filter(Boolean).map(text => (
                <Text key={text} size="sm" c="dimmed" className="text-as-written">
                  {text}
                </Text>
              ))}
            </li>
          )
        })}
      </Stack>
    </Panel>
  )
}
