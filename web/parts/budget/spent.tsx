import { Progress, Stack, Text } from '@mantine/core'
import { money, utcDateTime } from '../format.ts'
import { t } from '../../texts/text.ts'

interface SpentProps {
  budget: {
    monthlyLimit: string | null
    spentThisPeriod: string
    remaining: string | null
    resetsOn: string | null
    currency: string
  }
}

/** What a budget allows in its period, and how much of it is spent. */
export function Spent({
  budget: { monthlyLimit, spentThisPeriod, remaining, resetsOn, currency },
}: SpentProps) {
  return (
    <Stack gap={4}>
      <Text size="sm">
        {monthlyLimit === null
          ? t('budget.spent', { spent: money(spentThisPeriod, currency) })
          : t('budget.spentOf', {
              spent: money(spentThisPeriod, currency),
              limit: money(monthlyLimit, currency),
              left: money(remaining ?? 0, currency),
            })}{' '}
        {resetsOn && t('budget.resets', { date: utcDateTime(resetsOn) })}
      </Text>
      {monthlyLimit !== null && Number(monthlyLimit) > 0 && (
        <Progress
          value={(100 * Number(spentThisPeriod)) / Number(monthlyLimit)}
          aria-label={t('budget.used')}
        />
      )}
    </Stack>
  )
}
