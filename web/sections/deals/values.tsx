import { Code, List, Text } from '@mantine/core'
import { Details } from '../../parts/details.tsx'
import { t } from '../../texts/text.ts'

/** What is deeper would be too narrow on a small screen: it is shown as JSON. */
const MOST_LEVELS = 3

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What an author wrote for a program, as a person reads it; nothing where there is nothing. */
export function Values({ value }: { value: unknown }) {
  if (value === null || value === undefined || isEmpty(value)) return null
  return typeof value === 'string' ? (
    <Text className="text-as-written">{value}</Text>
  ) : (
    <Value value={value} level={1} />
  )
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

function Value({ value, level }: { value: unknown; level: number }) {
  if (value === null || value === '' || isEmpty(value)) return t('deal.value.none')
  if (typeof value === 'boolean') return t(value ? 'deal.value.true' : 'deal.value.false')
  if (typeof value === 'string') return value
  // As written: the digits of a number may be those of a code.
  if (typeof value !== 'object') return JSON.stringify(value)
  if (level > MOST_LEVELS) return <Code block>{JSON.stringify(value, null, 2)}</Code>
  if (Array.isArray(value)) return <Items items={value} level={level} />
  const rows = Object.entries(value)
  return (
    <Details
      rows={rows.map(([name, field]) => [name, <Value key={name} value={field} level={level + 1} />])}
    />
  )
}

/** Short values on one line, others one under the other. */
function Items({ items, level }: { items: readonly unknown[]; level: number }) {
  if (
    items.every(item => typeof item === 'number' || (typeof item === 'string' && /^[^,\n]{1,30}$/.test(item)))
  )
    return items.join(', ')
  return (
    <List size="sm" withPadding={false}>
      {items.map((item, index) => (
        <List.Item key={index}>
          <Value value={item} level={level + 1} />
        </List.Item>
      ))}
    </List>
  )
}
