import { Button, Group, Text } from '@mantine/core'
import { useEffect } from 'react'
import { t } from '../../texts/text.ts'
import { number } from '../format.ts'

export const PAGE_SIZE = 25

/** Shows another page; `replace` leaves the current one out of the history of the browser. */
export type OnOffset = (offset: number, replace: boolean) => void

interface PagerProps {
  total: number
  /** True if there are more than `total`. */
  isCapped?: boolean
  /** True while `total` is that of the list that was shown before. */
  isStale?: boolean
  offset: number
  onOffset: OnOffset
}

/** Whether a page begins after the last item: items before it may have left the list since. */
export const isPastEnd = (
  { total, totalIsCapped = false }: { total: number; totalIsCapped?: boolean },
  offset: number,
): boolean => total > 0 && !totalIsCapped && offset >= total

/** Goes through a list page by page; nothing where one page holds everything. After the end it goes to the last page. */
export function Pager({ total, isCapped = false, isStale = false, offset, onOffset }: PagerProps) {
  const isPast = isPastEnd({ total, totalIsCapped: isCapped }, offset)
  useEffect(() => {
    if (isPast && !isStale) onOffset(Math.floor((total - 1) / PAGE_SIZE) * PAGE_SIZE, true)
  }, [isPast, isStale, total, onOffset])
  if (total <= PAGE_SIZE && offset === 0) return null
  const last = Math.min(total, offset + PAGE_SIZE)
  const count = `${number(total)}${isCapped ? '+' : ''}`
  return (
    <Group justify="space-between" component="nav" aria-label={t('list.pages')}>
      <Text size="sm" c="dimmed" aria-live="polite">
        {offset < last && t('list.range', { first: number(offset + 1), last: number(last), total: count })}
      </Text>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          disabled={offset === 0}
          onClick={() => onOffset(Math.max(0, offset - PAGE_SIZE), false)}
        >
          {t('list.previous')}
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={last >= total}
          onClick={() => onOffset(offset + PAGE_SIZE, false)}
        >
          {t('list.next')}
        </Button>
      </Group>
    </Group>
  )
}
