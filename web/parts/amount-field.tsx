import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useRef, type InputEvent } from 'react'
import { separators } from './format.ts'

/** Where the sign between groups was typed: `1,250` in English. `0.125` and `12.5` are no groups. */
const GROUP_OF_THREE = /^([1-9]\d*)\.(\d{3})$/

/**
 * An amount in a currency, with up to six decimals. The sign between groups of digits begins the decimals, as people type it
 * who write the other way (`12,50` in English), until three digits follow it: `1,250.00` is not 1.25. The library reads an
 * amount that is pasted by the same rule.
 */
export function AmountField({ currency, onChange, ...props }: NumberInputProps & { currency: string }) {
  const { thousandSeparator } = separators()
  const isGroupTyped = useRef(false)
  const remember = ({ data }: InputEvent<HTMLInputElement>): void => {
    if (data && /\D/.test(data)) isGroupTyped.current = data === thousandSeparator
  }
  const change = (value: string | number): void => {
    const [, before, after] = GROUP_OF_THREE.exec(String(value)) ?? []
    const isGroup = isGroupTyped.current && before !== undefined
    if (isGroup || value === '') isGroupTyped.current = false
    onChange?.(isGroup ? `${before}${after}` : value)
  }
  return (
    <NumberInput
      min={0}
      decimalScale={6}
      allowNegative={false}
      hideControls
      thousandSeparator={thousandSeparator}
      inputMode="decimal"
      rightSection={currency}
      rightSectionWidth={56}
      onBeforeInput={remember}
      onChange={change}
      {...props}
    />
  )
}
