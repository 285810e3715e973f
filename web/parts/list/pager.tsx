import { Button, Group, Text } from '@mantine/core'
import { t } from '../../texts/text.ts'
import { number } from '../format.ts'

export const PAGE_SIZE = 25

interface PagerProps {
  total: number
  /** True if there are more than `total`. */
  isCapped?: boolean
  offset: number
  onOffset(offset: number): void
}

/** Goes through a list page by page; nothing where one page holds everything. */
export function Pager({ total, isCapped = false, offset, onOffset }: PagerProps) {
  if (total <= PAGE_SIZE) return null
  const last = Math.min(total, offset + PAGE_SIZE)
  const count = `${number(total)}${isCapped ? '+' : ''}`
  return (
    <Group justify="space-between" component="nav" aria-label={t('list.pages')}>
      <Text size="sm" c="dimmed" aria-live="polite">
        {t('list.range', { first: number(offset + 1), last: number(last), total: count })}
      </Text>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          disabled={offset === 0}
          onClick={() => onOffset(Math.max(0, offset - PAGE_SIZE))}
        >
          {t('list.previous')}
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={last >= total}
          onClick={() => onOffset(offset + PAGE_SIZE)}
        >
          {t('list.next')}
        </Button>
      </Group>
    </Group>
  )
}
