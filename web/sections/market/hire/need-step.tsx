import { Button, Group, Paper, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import type { Agent } from '../../../api/schema.d.ts'
import { AmountField } from '../../../parts/amount-field.tsx'
import { money } from '../../../parts/format.ts'
import { t } from '../../../texts/text.ts'
import { fieldsOf } from '../json-schema.ts'
import { hasListedPrice } from '../price.ts'
import { CriteriaFields } from './criteria-fields.tsx'
import { priceOfDraft, type HireDraft } from './draft.ts'
import { InputFields } from './input-fields.tsx'
import { MilestoneFields } from './milestone-fields.tsx'

interface NeedStepProps {
  agent: Agent
  form: UseFormReturnType<HireDraft>
  onNext(): void
}

/** What is to be done, for how much, and the terms that somebody may want beyond that. */
export function NeedStep({ agent, form, onNext }: NeedStepProps) {
  const fields = fieldsOf(agent.inputSchema)
  return (
    <form onSubmit={form.onSubmit(onNext)}>
      <Stack>
        <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
          <Stack>
            <Textarea
              label={t('hire.need')}
              description={t('hire.need.text')}
              placeholder={t('hire.need.example')}
              required={fields.length === 0}
              autosize
              minRows={3}
              maxLength={5000}
              {...form.getInputProps('description')}
            />
            <InputFields fields={fields} form={form} />
          </Stack>
        </Paper>
        <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
          <Budget agent={agent} form={form} />
        </Paper>
        <MoreTerms agent={agent} form={form} />
        <Group justify="flex-end">
          <Button type="submit" size="md">
            {t('hire.review')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type FieldsProps = Omit<NeedStepProps, 'onNext'>

function Budget({ agent: { pricing }, form }: FieldsProps) {
  const { budget } = form.getValues()
  return (
    <Stack gap="sm">
      <Text fw={600} size="sm" id="hire-budget">
        {t('hire.budget')}
      </Text>
      {hasListedPrice(pricing) && (
        <SegmentedControl
          aria-labelledby="hire-budget"
          data={[
            {
              value: 'listed',
              label: t('hire.budget.listed', { price: money(pricing.amount, pricing.currency) }),
            },
            { value: 'offer', label: t('hire.budget.offer') },
          ]}
          {...form.getInputProps('budget')}
        />
      )}
      {budget === 'offer' && (
        <AmountField
          label={t('hire.offer')}
          description={t('hire.offer.text')}
          currency={pricing.currency}
          required
          min={0.01}
          {...form.getInputProps('amount')}
        />
      )}
    </Stack>
  )
}

/** Deadline, criteria and milestones: most hires need none of them. */
function MoreTerms({ agent, form }: FieldsProps) {
  const { deliverBy, criteria, milestones } = form.getValues()
  const [isOpen, { toggle }] = useDisclosure(Boolean(deliverBy) || criteria.length + milestones.length > 0)
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
      <Button
        variant="subtle"
        color="gray"
        px={0}
        className="plain-button"
        rightSection={<IconChevronDown size={16} aria-hidden />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {t('hire.more')}
      </Button>
      {isOpen ? (
        <Stack mt="sm" gap="lg">
          <TextInput
            label={t('hire.deadline')}
            description={t('hire.deadline.text')}
            type="date"
            min={tomorrow()}
            {...form.getInputProps('deliverBy')}
          />
          <CriteriaFields form={form} hasOutputSchema={fieldsOf(agent.outputSchema).length > 0} />
          <MilestoneFields
            form={form}
            price={priceOfDraft(form.getValues(), agent)}
            currency={agent.pricing.currency}
          />
        </Stack>
      ) : (
        <Text size="xs" c="dimmed">
          {t('hire.more.text')}
        </Text>
      )}
    </Paper>
  )
}

/** In the time zone of the device, as the end of the chosen day is. Swedish dates have the form of a date field. */
const tomorrow = (): string => new Date(Date.now() + 86_400_000).toLocaleDateString('sv')
