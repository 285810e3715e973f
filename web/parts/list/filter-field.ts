import { useEffect, useRef, type ChangeEvent, type RefObject } from 'react'
import { useDelayedFilter } from './delayed-filter.ts'

interface FilterField {
  ref: RefObject<HTMLInputElement | null>
  defaultValue: string
  onChange(event: ChangeEvent<HTMLInputElement>): void
}

/**
 * Properties of the input of a filter whose value is in the address. It applies what was typed, in the form that `read`
 * gives it (undefined: not yet complete), and shows what the address says when that changes by itself, such as by Back.
 */
export function useFilterField(
  value = '',
  apply: (value: string) => void,
  { read = trimmed, delay }: { read?(input: HTMLInputElement): string | undefined; delay?: number } = {},
): FilterField {
  const ref = useRef<HTMLInputElement>(null)
  const shown = useRef(value)
  const applyLater = useDelayedFilter((next: string) => {
    shown.current = next
    apply(next)
  }, delay)
  useEffect(() => {
    if (ref.current && value !== shown.current) ref.current.value = value
    shown.current = value
  }, [value])
  return {
    ref,
    defaultValue: value,
    onChange({ currentTarget }) {
      const next = read(currentTarget)
      if (next !== undefined) applyLater(next)
    },
  }
}

const trimmed = ({ value }: HTMLInputElement): string => value.trim()
