import { Button, Group, Progress, SegmentedControl, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { $api, refreshReads } from '../../../api/client.ts'
import type { AgentBudget } from '../../../api/schema.d.ts'
import { date, money } from '../../../parts/format.ts'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { LimitField, limitOf } from '../limit-field.tsx'

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

function Fields({ budget }: { budget: AgentBudget }) {
  const { agentId, currency } = budget
  const update = $api.useMutation('patch', '/agents/{id}/budget')
  const form = useForm({
    initialValues: {
      monthlyLimit: budget.monthlyLimit ?? '',
      perTransactionLimit: budget.perTransactionLimit ?? '',
      approvalThreshold: budget.approvalThreshold ?? '',
      approvalMode: budget.approvalMode,
      autoReload: budget.autoReload,
    },
  })
  const save = form.onSubmit(
    ({ monthlyLimit, perTransactionLimit, approvalThreshold, approvalMode, autoReload }) =>
      update.mutate(
        {
          params: { path: { id: agentId } },
          body: {
            monthlyLimit: limitOf(monthlyLimit),
            perTransactionLimit: limitOf(perTransactionLimit),
            approvalThreshold: limitOf(approvalThreshold),
            approvalMode: approvalMode === 'MANUAL' ? 'MANUAL' : 'AUTO',
            autoReload,
          },
        },
        {
          onSuccess: () => {
            void refreshReads('/agents/{id}/budget')
            notifications.show({ message: t('selling.saved'), color: 'teal' })
          },
        },
      ),
  )
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

function Spent({
  budget: { monthlyLimit, spentThisPeriod, remaining, resetsOn, currency },
}: {
  budget: AgentBudget
}) {
  return (
    <Stack gap={4}>
      <Text size="sm">
        {monthlyLimit === null
          ? t('selling.budget.spent', { spent: money(spentThisPeriod, currency) })
          : t('selling.budget.spentOf', {
              spent: money(spentThisPeriod, currency),
              limit: money(monthlyLimit, currency),
              left: money(remaining ?? 0, currency),
            })}{' '}
        {resetsOn && t('selling.budget.resets', { date: date(resetsOn) })}
      </Text>
      {monthlyLimit !== null && Number(monthlyLimit) > 0 && (
        <Progress
          value={(100 * Number(spentThisPeriod)) / Number(monthlyLimit)}
          aria-label={t('selling.budget.used')}
        />
      )}
    </Stack>
  )
}
