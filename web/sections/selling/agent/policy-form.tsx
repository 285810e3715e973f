import { Button, Group, NativeSelect, SimpleGrid, Stack, TagsInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { $api, refreshReads } from '../../../api/client.ts'
import type { AutonomyPolicy } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { offerUndo } from '../../../app/undo.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { LimitField, limitOf } from '../../../parts/budget/limit-field.tsx'

const TIERS = ['UNVERIFIED', 'BASIC', 'VERIFIED', 'TRUSTED'] as const

/** What an agent may agree to by itself. */
export function PolicyForm({ id }: { id: string }) {
  const { data, error, refetch } = $api.useQuery('get', '/agents/{id}/autonomy-policy', {
    params: { path: { id } },
  })
  return (
    <Panel title={t('selling.policy.title')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading rows={4} />}
      {data && <Fields key={data.agentId} policy={data} />}
    </Panel>
  )
}

const valuesOf = (policy: AutonomyPolicy) => ({
  perDealLimit: policy.perDealLimit ?? '',
  dailyLimit: policy.dailyLimit ?? '',
  approvalThreshold: policy.approvalThreshold ?? '',
  minimumCounterpartyTier: policy.minimumCounterpartyTier,
  categories: policy.categories,
  allowedCounterparties: policy.allowedCounterparties,
  blockedCounterparties: policy.blockedCounterparties,
})
type Values = ReturnType<typeof valuesOf>

const bodyOf = ({ perDealLimit, dailyLimit, approvalThreshold, ...rest }: Values) => ({
  ...rest,
  perDealLimit: limitOf(perDealLimit),
  dailyLimit: limitOf(dailyLimit),
  approvalThreshold: limitOf(approvalThreshold),
})

function Fields({ policy }: { policy: AutonomyPolicy }) {
  const save = $api.useMutation('put', '/agents/{id}/autonomy-policy')
  const form = useForm({ initialValues: valuesOf(policy) })
  const set = async (values: Values) => {
    await save.mutateAsync({ params: { path: { id: policy.agentId } }, body: bodyOf(values) })
    void refreshReads('/agents/{id}/autonomy-policy')
  }
  const submit = form.onSubmit(values => {
    const before = valuesOf(policy)
    const offer = () => offerUndo(t('selling.saved'), () => set(before).then(() => form.setValues(before)))
    void set(values).then(offer, () => undefined)
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t('selling.policy.today', { spent: money(policy.spentToday) })}</Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <LimitField
            label={t('selling.policy.deal')}
            currency="USD"
            {...form.getInputProps('perDealLimit')}
          />
          <LimitField label={t('selling.policy.day')} currency="USD" {...form.getInputProps('dailyLimit')} />
          <LimitField
            label={t('selling.policy.ask')}
            currency="USD"
            {...form.getInputProps('approvalThreshold')}
          />
        </SimpleGrid>
        <NativeSelect
          label={t('selling.policy.tier')}
          data={TIERS.map(value => ({ value, label: nameOf(value) }))}
          {...form.getInputProps('minimumCounterpartyTier')}
        />
        <TagsInput
          label={t('selling.policy.categories')}
          description={t('selling.policy.categories.hint')}
          {...form.getInputProps('categories')}
        />
        <TagsInput
          label={t('selling.policy.allowed')}
          description={t('selling.policy.allowed.hint')}
          {...form.getInputProps('allowedCounterparties')}
        />
        <TagsInput
          label={t('selling.policy.blocked')}
          description={t('selling.policy.blocked.hint')}
          {...form.getInputProps('blockedCounterparties')}
        />
        <ProblemNotice error={save.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} aria-label={t('selling.policy.save')}>
            {t('selling.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
