import { ActionIcon, Button, Group, NumberInput, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { t } from '../../../texts/text.ts'
import { CRITERION_KINDS, newCriterion, type CriterionDraft, type CriterionKind } from './draft.ts'

export const FILE_TYPES = [
  'application/pdf',
  'image/*',
  'text/csv',
  'application/json',
  'application/zip',
  'text/*',
] as const
const MOST = 20

/** What the fields use of a form, whatever else it holds. */
interface CriteriaForm {
  getValues(): { criteria: CriterionDraft[] }
  getInputProps(path: string): GetInputPropsReturnType
  insertListItem(path: string, item: CriterionDraft): void
  removeListItem(path: string, index: number): void
}

/** When the result counts as accepted, in plain words. */
export function CriteriaFields({ form, hasOutputSchema }: { form: CriteriaForm; hasOutputSchema: boolean }) {
  const { criteria } = form.getValues()
  const kinds = CRITERION_KINDS.filter(kind => kind !== 'json-schema' || hasOutputSchema)
  return (
    <Stack gap="sm" role="group" aria-label={t('hire.criteria')}>
      <div>
        <Text fw={600} size="sm">
          {t('hire.criteria')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('hire.criteria.text')}
        </Text>
      </div>
      {criteria.map(({ id, kind }, index) => (
        <Paper key={id} withBorder p="sm">
          <Group align="flex-start" gap="sm" wrap="nowrap">
            <Stack gap="xs" flex={1}>
              <Select
                label={t('hire.criterion', { number: index + 1 })}
                data={kinds.map(value => ({ value, label: t(`hire.criterion.${value}`) }))}
                allowDeselect={false}
                {...form.getInputProps(`criteria.${index}.kind`)}
              />
              <Conditions form={form} kind={kind} index={index} />
            </Stack>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('hire.remove', { name: t('hire.criterion', { number: index + 1 }) })}
              onClick={() => form.removeListItem('criteria', index)}
            >
              <IconTrash size={18} />
            </ActionIcon>
          </Group>
        </Paper>
      ))}
      {criteria.length < MOST && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => form.insertListItem('criteria', newCriterion())}
          className="start-button"
        >
          {t('hire.criteria.add')}
        </Button>
      )}
    </Stack>
  )
}

interface ConditionsProps {
  form: CriteriaForm
  kind: CriterionKind
  index: number
}

function Conditions({ form, kind, index }: ConditionsProps) {
  const props = (name: string) => form.getInputProps(`criteria.${index}.${name}`)
  if (kind === 'rubric')
    return <TextInput label={t('hire.criterion.rubric.text')} required maxLength={2000} {...props('text')} />
  if (kind === 'url')
    return (
      <>
        <TextInput label={t('hire.criterion.url.text')} required maxLength={500} {...props('text')} />
        <TextInput
          label={t('hire.criterion.url.url')}
          description={t('hire.criterion.url.hint')}
          type="url"
          placeholder="https://"
          {...props('url')}
        />
      </>
    )
  if (kind === 'file')
    return (
      <Group grow align="flex-end">
        <Select
          label={t('hire.criterion.file.type')}
          data={FILE_TYPES.map(value => ({ value, label: t(`fileType.${value}`) }))}
          allowDeselect={false}
          {...props('fileType')}
        />
        <NumberInput
          label={t('hire.criterion.file.size')}
          min={0}
          hideControls
          suffix=" MB"
          {...props('maxMegabytes')}
        />
      </Group>
    )
  return (
    <Text size="sm" c="dimmed">
      {t('hire.criterion.schema.text')}
    </Text>
  )
}
