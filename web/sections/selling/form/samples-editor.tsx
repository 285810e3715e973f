import { ActionIcon, Button, Fieldset, Group, SimpleGrid, Stack, Text, Textarea } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { t } from '../../../texts/text.ts'
import { MOST_SAMPLES } from '../../market/samples-of.ts'
import { EMPTY_SAMPLE, type SampleDraft } from './samples.ts'

interface SamplesEditorProps {
  value: readonly SampleDraft[]
  onChange(value: readonly SampleDraft[]): void
}

const SIDES = [
  { side: 'input', maxLength: 5000 },
  { side: 'output', maxLength: 10_000 },
] as const

/** Work that the agent's page shows: inputs with what the agent made of them. Samples beyond those stay as they are. */
export function SamplesEditor({ value, onChange }: SamplesEditorProps) {
  const set = (at: number, change: Partial<SampleDraft>) =>
    onChange(value.map((sample, index) => (index === at ? { ...sample, ...change } : sample)))
  return (
    <Fieldset legend={t('agent.samples')}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('selling.samples.text')}
        </Text>
        {value.slice(0, MOST_SAMPLES).map((sample, at) => (
          <Group key={at} gap="xs" wrap="nowrap" align="flex-start">
            <SimpleGrid cols={{ base: 1, sm: 2 }} flex={1}>
              {SIDES.map(({ side, maxLength }) => (
                <Textarea
                  key={side}
                  label={t(`selling.samples.${side}`, { number: at + 1 })}
                  autosize
                  minRows={2}
                  maxLength={maxLength}
                  value={sample[side]}
                  onChange={event => set(at, { [side]: event.currentTarget.value })}
                />
              ))}
            </SimpleGrid>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('selling.samples.remove', { number: at + 1 })}
              onClick={() => onChange(value.filter((_, index) => index !== at))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        {value.length < MOST_SAMPLES && (
          <Group>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => onChange([...value, EMPTY_SAMPLE])}
            >
              {t('selling.samples.add')}
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  )
}
