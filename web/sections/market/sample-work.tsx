import { Code, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Agent } from '../../api/schema.d.ts'
import { Panel } from '../../parts/panel.tsx'
import { t } from '../../texts/text.ts'
import { fieldsOf, isObject } from './json-schema.ts'
import { samplesOf } from './samples-of.ts'

/** What the agent has made of some inputs, as its seller shows it; nothing without a sample. */
export function SampleWork({ agent }: { agent: Agent }) {
  const samples = samplesOf(agent)
  if (samples.length === 0) return null
  return (
    <Panel title={t('agent.samples')}>
      <Text size="sm" c="dimmed">
        {t('agent.samples.text')}
      </Text>
      {samples.map(({ input, output }, at) => (
        <Paper key={at} withBorder p="md">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {input !== undefined && (
              <Side title={t('agent.samples.input')} value={input} schema={agent.inputSchema} />
            )}
            {output !== undefined && (
              <Side title={t('agent.samples.output')} value={output} schema={agent.outputSchema} />
            )}
          </SimpleGrid>
        </Paper>
      ))}
    </Panel>
  )
}

function Side({ title, value, schema }: { title: string; value: unknown; schema: Agent['inputSchema'] }) {
  return (
    <Stack gap={4} miw={0}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {isObject(value) ? <Fields value={value} schema={schema} /> : <Value value={value} />}
    </Stack>
  )
}

interface FieldsProps {
  value: Readonly<Record<string, unknown>>
  schema: Agent['inputSchema']
}

/** The fields by their titles, in the order of the schema. */
function Fields({ value, schema }: FieldsProps) {
  const known = fieldsOf(schema).filter(({ key }) => key in value)
  const others = Object.keys(value).filter(key => !known.some(field => field.key === key))
  return [...known, ...others.map(key => ({ key, title: key }))].map(({ key, title }) => (
    <div key={key}>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <Value value={value[key]} />
    </div>
  ))
}

const Value = ({ value }: { value: unknown }) =>
  typeof value === 'string' ? (
    <Text size="sm" className="text-as-written">
      {value}
    </Text>
  ) : (
    <Code block>{JSON.stringify(value, null, 2)}</Code>
  )
