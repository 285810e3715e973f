import { NativeSelect } from '@mantine/core'
import { nameOf, t } from '../../../texts/text.ts'
import { RUN_STATES, type RunSearch } from '../search.ts'

interface RunFilterProps {
  status: RunSearch['status']
  onStatus(status: RunSearch['status']): void
}

export function RunFilter({ status, onStatus }: RunFilterProps) {
  return (
    <NativeSelect
      aria-label={t('selling.runs.filter')}
      value={status ?? ''}
      onChange={({ currentTarget: { value } }) => onStatus(RUN_STATES.find(each => each === value))}
      data={[
        { value: '', label: t('selling.runs.all') },
        ...RUN_STATES.map(value => ({ value, label: nameOf(value) })),
      ]}
    />
  )
}
