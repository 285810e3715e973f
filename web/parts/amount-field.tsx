import { NumberInput, type NumberInputProps } from '@mantine/core'
import { separators } from './format.ts'

/** An amount in a currency, with up to six decimals. */
export function AmountField({ currency, ...props }: NumberInputProps & { currency: string }) {
  return (
    <NumberInput
      min={0}
      decimalScale={6}
      allowNegative={false}
      hideControls
      thousandSeparator={separators().thousandSeparator}
      inputMode="decimal"
      rightSection={currency}
      rightSectionWidth={56}
      {...props}
    />
  )
}
