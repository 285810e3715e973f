import { Alert, Stack, Text } from '@mantine/core'
import { IconScale } from '@tabler/icons-react'
import { dateTime, rate } from '../../parts/format.ts'
import { t, type TextKey } from '../../texts/text.ts'
import { otherPartyFirst, type FundedDeal, type Side } from './deal-state.ts'

/** The dispute of a deal: who wants what, what the other party says, and how it ended. */
export function DisputePanel({ deal, side }: { deal: FundedDeal; side: Side }) {
  const { dispute } = deal.escrow
  if (!dispute) return null
  const { openedBy, asks, sellerBps, reason, answer, answerBy, endedAt, outcome, openedAt } = dispute
  const who = openedBy === side ? t('deal.you') : otherPartyFirst(deal, side)
  return (
    <Alert
      color={endedAt ? 'gray' : 'orange'}
      icon={<IconScale aria-hidden />}
      title={t(endedAt ? 'deal.dispute.ended' : 'deal.dispute.running')}
    >
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          {t('deal.dispute.by', { who, when: dateTime(openedAt) })} {t(`deal.dispute.asks.${asks}`)}
          {sellerBps !== null && ` (${t('deal.dispute.forSeller', { share: rate(sellerBps) })})`}
        </Text>
        <Text size="sm" className="text-as-written">
          {reason}
        </Text>
        {answer && (
          <>
            <Text size="sm" fw={600}>
              {t('deal.dispute.answer')}
            </Text>
            <Text size="sm" className="text-as-written">
              {answer}
            </Text>
          </>
        )}
        {!endedAt && !answer && answerBy && (
          <Text size="sm">{t('deal.dispute.answerBy', { by: dateTime(answerBy) })}</Text>
        )}
        {endedAt && <Text size="sm">{t(`deal.outcome.${outcome ?? 'ENDED'}` as TextKey)}</Text>}
      </Stack>
    </Alert>
  )
}
