import { Code, List, Stack, Text } from '@mantine/core'
import type { AcceptanceCriterion } from '../../api/schema.d.ts'
import { Details } from '../../parts/details.tsx'
import { t } from '../../texts/text.ts'
import { criterionInWords } from './criteria.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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

function Values({ value }: { value: unknown }) {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return <Text className="text-as-written">{value}</Text>
  if (!isObject(value)) return <Code block>{JSON.stringify(value, null, 2)}</Code>
  const rows = Object.entries(value)
  if (rows.length === 0) return null
  return (
    <Details
      rows={rows.map(([name, field]) => [
        name,
        typeof field === 'string' ? field : <Code key={name}>{JSON.stringify(field)}</Code>,
      ])}
    />
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
