import { Select } from '@mantine/core'
import { t } from '../../texts/text.ts'

const DAYS = [1, 30, 90, 365] as const

export type Expiry = 'never' | `${(typeof DAYS)[number]}`

const DAY_MS = 86_400_000

/** When a key ends that lives this long from now; null for never. */
export const expiryTime = (expiry: Expiry): string | null =>
  expiry === 'never' ? null : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString()

export function ExpiryField({ value, onChange }: { value: Expiry; onChange(value: Expiry): void }) {
  const choices = [
    ...DAYS.map(days => ({ value: `${days}` as Expiry, label: t(`developer.expiry.${days}`) })),
    { value: 'never' as Expiry, label: t('developer.expiry.never') },
  ]
  return (
    <Select
      label={t('developer.expires')}
      data={choices}
      value={value}
      onChange={next => next && onChange(next)}
      allowDeselect={false}
    />
  )
}
