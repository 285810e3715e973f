import { Button, Group, SegmentedControl, SimpleGrid, Stack, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { $api, refreshReads } from '../../../api/client.ts'
import type { AgentBudget } from '../../../api/schema.d.ts'
import { LimitField, limitOf } from '../../../parts/budget/limit-field.tsx'
import { Spent } from '../../../parts/budget/spent.tsx'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { offerUndo } from '../../../app/undo.tsx'
import { t } from '../../../texts/text.ts'

/** The budget of an agent that buys. */
export function BudgetForm({ id }: { id: string }) {
  const { data, error, refetch } = $api.useQuery('get', '/agents/{id}/budget', { params: { path: { id } } })
  return (
    <Panel title={t('selling.budget.title')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading rows={3} />}
      {data && <Fields key={data.agentId} budget={data} />}
    </Panel>
  )
}

const valuesOf = (budget: AgentBudget) => ({
  monthlyLimit: budget.monthlyLimit ?? '',
  perTransactionLimit: budget.perTransactionLimit ?? '',
  approvalThreshold: budget.approvalThreshold ?? '',
  approvalMode: budget.approvalMode,
  autoReload: budget.autoReload,
})
type Values = ReturnType<typeof valuesOf>

const bodyOf = ({ monthlyLimit, perTransactionLimit, approvalThreshold, ...rest }: Values) => ({
  ...rest,
  monthlyLimit: limitOf(monthlyLimit),
  perTransactionLimit: limitOf(perTransactionLimit),
  approvalThreshold: limitOf(approvalThreshold),
})

function Fields({ budget }: { budget: AgentBudget }) {
  const { agentId, currency } = budget
  const update = $api.useMutation('patch', '/agents/{id}/budget')
  const form = useForm({ initialValues: valuesOf(budget) })
  const set = async (values: Values) => {
    await update.mutateAsync({ params: { path: { id: agentId } }, body: bodyOf(values) })
    void refreshReads('/agents/{id}/budget')
  }
  const save = form.onSubmit(values => {
    const before = valuesOf(budget)
    const offer = () => offerUndo(t('selling.saved'), () => set(before).then(() => form.setValues(before)))
    void set(values).then(offer, () => undefined)
  })
  return (
    <form onSubmit={save}>
      <Stack>
        <Spent budget={budget} />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <LimitField
            label={t('selling.budget.monthly')}
            currency={currency}
            {...form.getInputProps('monthlyLimit')}
          />
          <LimitField
            label={t('selling.budget.each')}
            currency={currency}
            {...form.getInputProps('perTransactionLimit')}
          />
          <LimitField
            label={t('selling.budget.ask')}
            currency={currency}
            {...form.getInputProps('approvalThreshold')}
          />
        </SimpleGrid>
        <SegmentedControl
          aria-label={t('selling.budget.mode')}
          data={[
            { value: 'AUTO', label: t('selling.budget.mode.AUTO') },
            { value: 'MANUAL', label: t('selling.budget.mode.MANUAL') },
          ]}
          {...form.getInputProps('approvalMode')}
        />
        <Switch
          label={t('selling.budget.reload')}
          {...form.getInputProps('autoReload', { type: 'checkbox' })}
        />
        <ProblemNotice error={update.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={update.isPending} aria-label={t('selling.budget.save')}>
            {t('selling.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
