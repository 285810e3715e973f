import { Select } from '@mantine/core'
import { t } from '../../texts/text.ts'

const DAYS = [1, 30, 90, 365] as const

/** `unchanged`: an end that exists already does not change. */
export type Expiry = 'unchanged' | 'never' | `${(typeof DAYS)[number]}`

const DAY_MS = 86_400_000

/** When a key ends that lives this long from now; null for never, undefined for no change. */
export function expiryTime(expiry: Expiry): string | null | undefined {
  if (expiry === 'unchanged') return undefined
  return expiry === 'never' ? null : new Date(Date.now() + Number(expiry) * DAY_MS).toISOString()
}

interface ExpiryFieldProps {
  value: Expiry
  onChange(value: Expiry): void
  /** Of a key that exists. */
  canKeep?: boolean
}

export function ExpiryField({ value, onChange, canKeep = false }: ExpiryFieldProps) {
  const choices = [
    ...(canKeep ? [{ value: 'unchanged' as Expiry, label: t('developer.expiry.unchanged') }] : []),
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
