import { Text, Timeline } from '@mantine/core'
import type { DealEvent } from '../../api/schema.d.ts'
import { dateTime } from '../../parts/format.ts'
import { Panel } from '../../parts/panel.tsx'
import { checkFailure, hasText, t, type TextKey } from '../../texts/text.ts'
import { otherPartyFirst, type Deal, type Side } from './deal-state.ts'

/**
 * One line for what several objects of the deal record at the same time: only these events have a text. The end of a deal
 * before it was paid is recorded by the negotiation, and later by the escrow.
 */
const keyOf = ({ subject, event, to }: DealEvent): string =>
  `deal.event.${subject === 'negotiation' && to === 'CANCELLED' ? 'escrow' : subject}.${event}`

/** What happened, the newest first. */
export function History({ deal, side }: { deal: Deal; side: Side }) {
  const events = (deal.timeline ?? []).filter(event => hasText(keyOf(event)))
  const lines = [
    { at: deal.createdAt, text: t('deal.event.opened'), reason: undefined },
    ...events.map(event => ({
      at: event.at,
      text: t(keyOf(event) as TextKey, { who: whoOf(event.actor, deal, side) }),
      reason: reasonOf(event),
    })),
  ].toReversed()
  return (
    <Panel title={t('deal.timeline')}>
      <Timeline bulletSize={14} lineWidth={2} active={lines.length}>
        {lines.map(({ at, text, reason }, index) => (
          <Timeline.Item key={index} title={<Text size="sm">{text}</Text>}>
            {reason && (
              <Text size="xs" c="dimmed" className="text-as-written">
                {reason}
              </Text>
            )}
            <Text size="xs" c="dimmed">
              {dateTime(at)}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Panel>
  )
}

/**
 * The service's own reasons have a code, and those of freezes begin with one. What a person wrote is shown as it is, and so is
 * the detail of a check that failed.
 */
export function reasonOf({ subject, event, details: { code, reason } }: DealEvent): string | undefined {
  if (typeof reason !== 'string') return undefined
  const name = typeof code === 'string' ? code : event.endsWith('freeze') ? reason.split(':')[0] : ''
  if (subject === 'delivery' && event === 'fail') return checkFailure(name, reason)
  const key = `deal.because.${name}`
  return hasText(key) ? t(key) : reason
}

function whoOf(actor: string, deal: Deal, side: Side): string {
  if (actor === side) return t('deal.you')
  if (actor === 'buyer' || actor === 'seller') return otherPartyFirst(deal, side)
  return t('deal.site')
}
