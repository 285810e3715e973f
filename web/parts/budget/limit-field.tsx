import type { NumberInputProps } from '@mantine/core'
import { AmountField } from '../amount-field.tsx'
import { t } from '../../texts/text.ts'

/** The most that may be spent; empty for no limit. */
export function LimitField(props: NumberInputProps & { currency: string }) {
  return <AmountField placeholder={t('budget.noLimit')} {...props} />
}

/** A limit for the API: null where the field is empty. */
export const limitOf = (value: string | number): string | null => (value === '' ? null : String(value))
