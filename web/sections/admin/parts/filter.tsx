import { NativeSelect } from '@mantine/core'
import { nameOf, t } from '../../../texts/text.ts'

interface FilterProps<Value extends string> {
  label: string
  value: Value | undefined
  values: readonly Value[]
  /** Text of the choice that filters nothing; false if the list shows one state at a time. */
  all?: string | false
  onChange(value: Value | undefined): void
}

/** Chooses one state of a list, or all. */
export function Filter<Value extends string>({ label, value, values, all, onChange }: FilterProps<Value>) {
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      data={[
        ...(all === false ? [] : [{ value: '', label: all ?? t('admin.filter.all') }]),
        ...values.map(each => ({ value: each, label: nameOf(each) })),
      ]}
      onChange={event => onChange(values.find(each => each === event.currentTarget.value))}
      maw={260}
    />
  )
}
