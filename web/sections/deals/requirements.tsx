import { List, Stack, Text } from '@mantine/core'
import type { AcceptanceCriterion } from '../../api/schema.d.ts'
import { t } from '../../texts/text.ts'
import { criterionInWords } from './criteria.ts'
import { isObject, Values } from './values.tsx'

interface RequirementsProps {
  /** As the API has them, without the criteria. */
  requirements: unknown
  acceptance: readonly AcceptanceCriterion[]
  milestones?: readonly { key: string; title: string }[]
}

/** What the work is made from, what else the buyer asks for, and when the result counts as accepted. */
export function Requirements({ requirements, acceptance, milestones }: RequirementsProps) {
  const { input, ...others } = isObject(requirements) ? requirements : { input: requirements }
  return (
    <>
      <Values value={input} />
      <Values value={others} />
      {acceptance.length > 0 && (
        <Stack gap={4}>
          <Text size="sm" fw={600}>
            {t('deal.criteria')}
          </Text>
          <List size="sm">
            {acceptance.map(criterion => (
              <List.Item key={criterion.key}>{criterionInWords(criterion, milestones)}</List.Item>
            ))}
          </List>
        </Stack>
      )}
    </>
  )
}

/** The requirements of a need, which hold its criteria; null if there are none. */
export function requirementsOfNeed(given: unknown): RequirementsProps | null {
  if (!isObject(given))
    return given === null || given === undefined ? null : { requirements: given, acceptance: [] }
  const { acceptance: listed, ...requirements } = given
  const acceptance = Array.isArray(listed) ? listed.filter(isCriterion) : []
  return acceptance.length + Object.keys(requirements).length > 0 ? { requirements, acceptance } : null
}

const isCriterion = (value: unknown): value is AcceptanceCriterion =>
  isObject(value) && typeof value.key === 'string' && typeof value.kind === 'string'
