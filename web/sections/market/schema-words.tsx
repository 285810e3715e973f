import { List, Text } from '@mantine/core'
import { t } from '../../texts/text.ts'
import { fieldsOf, typeInWords } from './json-schema.ts'

/** What goes into an agent or comes out of it, in words. */
export function SchemaInWords({ schema, showRequired }: { schema: unknown; showRequired?: boolean }) {
  return (
    <List spacing="xs" size="sm">
      {fieldsOf(schema).map(field => (
        <List.Item key={field.key}>
          <Text span fw={600} inherit>
            {field.title}
          </Text>{' '}
          <Text span c="dimmed" inherit>
            ({typeInWords(field)}
            {showRequired && `, ${t(field.isRequired ? 'agent.required' : 'agent.optional')}`})
          </Text>
          {field.description && (
            <Text size="sm" c="dimmed">
              {field.description}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  )
}
