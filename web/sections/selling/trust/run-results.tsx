import { Accordion, List, Text } from '@mantine/core'
import type { CertificationResult } from '../../../api/schema.d.ts'
import { number } from '../../../parts/format.ts'
import { nameOf, t } from '../../../texts/text.ts'

/** How each task went. */
export function RunResults({ results }: { results: readonly CertificationResult[] }) {
  const passed = results.filter(result => result.passed).length
  return (
    <Accordion variant="contained" order={3}>
      <Accordion.Item value="results">
        <Accordion.Control>
          <Text size="sm" span>
            {t('selling.certification.passed', { passed: number(passed), total: number(results.length) })}
          </Text>
        </Accordion.Control>
        <Accordion.Panel>
          <List size="sm" spacing={4}>
            {results.map(({ task, kind, passed: isPassed, reason, durationMs }) => (
              <List.Item key={task}>
                {nameOf(kind.toUpperCase())}: {t(isPassed ? 'selling.passed' : 'selling.failed')},{' '}
                {t('selling.seconds', { seconds: number(durationMs / 1000) })}
                {reason && ` (${reason})`}
              </List.Item>
            ))}
          </List>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
