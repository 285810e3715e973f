import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { Currency } from '../../../api/schema.d.ts'
import { AmountField } from '../../../parts/amount-field.tsx'
import { money } from '../../../parts/format.ts'
import { t } from '../../../texts/text.ts'
import { newMilestone, type HireDraft } from './draft.ts'

const MOST = 20

interface MilestoneFieldsProps {
  form: UseFormReturnType<HireDraft>
  price: number
  currency: Currency
}

/** What is left of the price when the milestones are paid; floating point does not count. */
export const unassigned = (price: number, milestones: HireDraft['milestones']): number =>
  Math.round((price - milestones.reduce((sum, { amount }) => sum + Number(amount), 0)) * 1e6) / 1e6

/** Parts of the work that are delivered and paid one by one. */
export function MilestoneFields({ form, price, currency }: MilestoneFieldsProps) {
  const { milestones } = form.getValues()
  const rest = unassigned(price, milestones)
  return (
    <Stack gap="sm" role="group" aria-label={t('hire.milestones')}>
      <div>
        <Text fw={600} size="sm">
          {t('hire.milestones')}
        </Text>
        <Text size="xs" c="dimmed">
          {t('hire.milestones.text')}
        </Text>
      </div>
      {milestones.map(({ id }, index) => (
        <Group key={id} align="flex-end" gap="sm" wrap="nowrap">
          <TextInput
            label={t('hire.milestone', { number: index + 1 })}
            required
            maxLength={200}
            flex={1}
            {...form.getInputProps(`milestones.${index}.title`)}
          />
          <AmountField
            label={t('hire.amount')}
            currency={currency}
            required
            w={140}
            {...form.getInputProps(`milestones.${index}.amount`)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('hire.remove', { name: t('hire.milestone', { number: index + 1 }) })}
            onClick={() => form.removeListItem('milestones', index)}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </Group>
      ))}
      {milestones.length > 0 && rest !== 0 && (
        <Text size="sm" c="red" role="status">
          {rest > 0
            ? t('hire.milestones.left', { amount: money(rest, currency) })
            : t('hire.milestones.over', { amount: money(-rest, currency) })}
        </Text>
      )}
      {milestones.length < MOST && (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() =>
            form.insertListItem('milestones', { ...newMilestone(), amount: rest > 0 ? rest : '' })
          }
          className="start-button"
        >
          {t('hire.milestones.add')}
        </Button>
      )}
    </Stack>
  )
}
