import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  JsonInput,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '../../../texts/text.ts'
import {
  EMPTY_ROW,
  inMode,
  ROW_TYPES,
  type RowType,
  type SchemaDraft,
  type SchemaRow,
} from './schema-draft.ts'

interface SchemaEditorProps {
  label: string
  description: string
  value: SchemaDraft
  onChange(value: SchemaDraft): void
  error?: string
}

/** Fields that an agent takes or returns, as rows or as JSON Schema. */
export function SchemaEditor({ label, description, value, onChange, error }: SchemaEditorProps) {
  const [isStuck, setStuck] = useState(false)
  const change = (next: SchemaDraft) => {
    setStuck(false)
    onChange(next)
  }
  const switchTo = (mode: string) => {
    const next = inMode(value, mode === 'raw' ? 'raw' : 'fields')
    if (next) change(next)
    else setStuck(true)
  }
  return (
    <Fieldset legend={label}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            {description}
          </Text>
          <SegmentedControl
            size="xs"
            aria-label={t('selling.schema.mode', { label })}
            value={value.mode}
            onChange={switchTo}
            data={[
              { value: 'fields', label: t('selling.schema.fields') },
              { value: 'raw', label: t('selling.schema.raw') },
            ]}
          />
        </Group>
        {value.mode === 'raw' ? (
          <JsonInput
            aria-label={label}
            placeholder='{ "type": "object" }'
            autosize
            minRows={6}
            formatOnBlur
            value={value.text}
            onChange={text => change({ ...value, text })}
          />
        ) : (
          <Rows label={label} rows={value.rows} onChange={rows => change({ ...value, rows })} />
        )}
        {(error ?? isStuck) && (
          <Text size="sm" c="red" role="alert">
            {error ?? t('selling.schema.stuck')}
          </Text>
        )}
      </Stack>
    </Fieldset>
  )
}

interface RowsProps {
  label: string
  rows: readonly SchemaRow[]
  onChange(rows: readonly SchemaRow[]): void
}

function Rows({ label, rows, onChange }: RowsProps) {
  const set = (at: number, change: Partial<SchemaRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)))
  return (
    <>
      {rows.map((row, at) => {
        const place = { label, number: at + 1 }
        return (
          <Group key={at} gap="xs" align="flex-end">
            <TextInput
              flex="1 1 140px"
              label={t('selling.schema.name')}
              aria-label={t('selling.schema.nameOf', place)}
              value={row.name}
              onChange={event => set(at, { name: event.currentTarget.value })}
            />
            <NativeSelect
              flex="0 1 130px"
              label={t('selling.schema.type')}
              aria-label={t('selling.schema.typeOf', place)}
              data={ROW_TYPES.map(type => ({ value: type, label: t(`selling.schema.type.${type}`) }))}
              value={row.type}
              onChange={event => set(at, { type: event.currentTarget.value as RowType })}
            />
            <TextInput
              flex="2 1 180px"
              label={t('selling.schema.description')}
              aria-label={t('selling.schema.descriptionOf', place)}
              value={row.description}
              onChange={event => set(at, { description: event.currentTarget.value })}
            />
            <Group gap="xs" h={36} wrap="nowrap">
              <Checkbox
                label={t('selling.schema.required')}
                aria-label={t('selling.schema.requiredOf', place)}
                checked={row.isRequired}
                onChange={event => set(at, { isRequired: event.currentTarget.checked })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('selling.schema.remove', place)}
                onClick={() => onChange(rows.filter((_, index) => index !== at))}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Group>
          </Group>
        )
      })}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          aria-label={t('selling.schema.addTo', { label })}
          onClick={() => onChange([...rows, EMPTY_ROW])}
        >
          {t('selling.schema.add')}
        </Button>
      </Group>
    </>
  )
}
