import { Button, Group, Paper, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { $api, refreshReads } from '../../api/client.ts'
import { site } from '../../app/page-data.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { CriteriaFields } from '../market/hire/criteria-fields.tsx'
import { acceptanceOf, type CriterionDraft } from '../market/hire/draft.ts'

/** A day as the date field has it, as the end of that day. */
const endOf = (day: string): string => new Date(`${day}T23:59:59`).toISOString()

const EMPTY = {
  title: '',
  description: '',
  category: '',
  budget: '',
  deadline: '',
  deliverBy: '',
  criteria: [] as CriterionDraft[],
}

const bodyOf = ({ title, description, category, budget, deadline, deliverBy, criteria }: typeof EMPTY) => ({
  title,
  budget,
  ...(description ? { description } : {}),
  ...(category ? { category } : {}),
  ...(deadline ? { deadline: endOf(deadline) } : {}),
  ...(deliverBy ? { deliverBy: endOf(deliverBy) } : {}),
  ...(criteria.length > 0 ? { requirements: { acceptance: acceptanceOf(criteria) } } : {}),
})

export function NewNeed() {
  const navigate = useNavigate()
  const publish = $api.useMutation('post', '/market/needs')
  const form = useForm({ initialValues: EMPTY })
  const submit = form.onSubmit(values =>
    publish.mutate(
      { body: bodyOf(values) },
      {
        onSuccess: ({ id }) => {
          void refreshReads('/market/needs')
          void navigate({ to: '/app/needs/$id', params: { id } })
        },
      },
    ),
  )
  return (
    <Page title={t('needs.publish')} description={t('needs.publish.text')}>
      <Paper withBorder p="lg" maw={640}>
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label={t('needs.field.title')}
              required
              maxLength={200}
              {...form.getInputProps('title')}
            />
            <Textarea
              label={t('needs.field.description')}
              autosize
              minRows={4}
              maxLength={5000}
              {...form.getInputProps('description')}
            />
            <TextInput label={t('needs.field.category')} maxLength={50} {...form.getInputProps('category')} />
            <AmountField
              label={t('needs.field.budget')}
              currency={site.currency}
              required
              {...form.getInputProps('budget')}
            />
            <Group grow align="flex-end">
              <TextInput
                type="date"
                label={t('needs.field.deadline')}
                description={t('needs.field.deadline.hint')}
                {...form.getInputProps('deadline')}
              />
              <TextInput
                type="date"
                label={t('needs.field.deliverBy')}
                {...form.getInputProps('deliverBy')}
              />
            </Group>
            {/* There is no agent yet, and so no output schema. */}
            <CriteriaFields form={form} hasOutputSchema={false} />
            <ProblemNotice error={publish.error} />
            <Group justify="flex-end">
              <Button type="submit" loading={publish.isPending}>
                {t('needs.publish')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Paper>
    </Page>
  )
}
