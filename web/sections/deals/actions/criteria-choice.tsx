import { Checkbox, Stack } from '@mantine/core'
import { t } from '../../../texts/text.ts'
import { criterionInWords } from '../criteria.ts'
import type { Deal } from '../deal-state.ts'

interface CriteriaChoiceProps {
  deal: Deal
  value: string[]
  onChange(keys: string[]): void
}

/** Which of the agreed criteria are not met; nothing where none were agreed. */
export function CriteriaChoice({ deal: { acceptance, milestones }, value, onChange }: CriteriaChoiceProps) {
  if (acceptance.length === 0) return null
  return (
    <Checkbox.Group label={t('deal.criteria.failed')} value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {acceptance.map(criterion => (
          <Checkbox
            key={criterion.key}
            value={criterion.key}
            label={criterionInWords(criterion, milestones)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
