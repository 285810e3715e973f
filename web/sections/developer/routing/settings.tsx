import { Button, Group, MultiSelect, NumberInput, Select, SimpleGrid, Stack, Switch } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../../api/client.ts'
import type { RoutingConfig } from '../../../api/schema.d.ts'
import { offerUndo } from '../../../app/undo.tsx'
import { AmountField } from '../../../parts/amount-field.tsx'
import { ButtonLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'

const TIERS = ['mid', 'premium'] as const

/** How the gateway selects a model for the requests of all routing keys of the account. */
export function RoutingSettings() {
  const { data, error, refetch, isPending } = $api.useQuery('get', '/v1/routing/config', {})
  return (
    <Page
      title={t('developer.settings')}
      description={t('developer.settings.text')}
      actions={
        <ButtonLink to="/app/developer/models" variant="default">
          {t('developer.models')}
        </ButtonLink>
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {/* What is typed stays until other settings are stored. */}
      {data && <Form key={JSON.stringify(data)} config={data} />}
    </Page>
  )
}

type Values = Omit<RoutingConfig, 'maxPriceUsd' | 'lambda' | 'thresholds'> &
  Record<'maxPriceUsd' | 'lambda' | (typeof TIERS)[number], string | number>

const valuesOf = ({ thresholds, maxPriceUsd, ...config }: RoutingConfig): Values => ({
  ...config,
  ...thresholds,
  maxPriceUsd: maxPriceUsd ?? '',
})

/** An empty field restores the default. */
const given = (value: string | number): number | null => (value === '' ? null : Number(value))

async function save({ mid, premium, maxPriceUsd, lambda, ...values }: Values): Promise<void> {
  await api.POST('/v1/routing/config', {
    body: {
      ...values,
      thresholds: { mid: given(mid), premium: given(premium) },
      maxPriceUsd: maxPriceUsd === '' ? null : String(maxPriceUsd),
      lambda: given(lambda),
    },
  })
  await refreshReads('/v1/routing/config')
}

function Form({ config }: { config: RoutingConfig }) {
  const form = useForm<Values>({ initialValues: valuesOf(config) })
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (values: Values) => {
    setBusy(true)
    setError(null)
    try {
      await save(values)
      offerUndo(t('developer.saved'), () => save(valuesOf(config)))
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form onSubmit={form.onSubmit(values => void submit(values))}>
      <Panel title={t('developer.settings.models')}>
        <Stack maw={560}>
          <ModelFields form={form} />
          <Switch
            label={t('developer.settings.fallbacks')}
            description={t('developer.settings.fallbacks.text')}
            {...form.getInputProps('fallbacks', { type: 'checkbox' })}
          />
          <Switch
            label={t('developer.settings.sticky')}
            description={t('developer.settings.sticky.text')}
            {...form.getInputProps('sticky', { type: 'checkbox' })}
          />
          <AmountField
            label={t('developer.settings.maxPrice')}
            description={t('developer.settings.maxPrice.text')}
            placeholder={t('developer.unlimited')}
            currency="USD"
            {...form.getInputProps('maxPriceUsd')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {TIERS.map(tier => (
              <NumberInput
                key={tier}
                label={t(`developer.settings.${tier}`)}
                description={t('developer.settings.threshold')}
                min={0}
                max={1}
                step={0.05}
                decimalScale={3}
                allowNegative={false}
                {...form.getInputProps(tier)}
              />
            ))}
          </SimpleGrid>
          <NumberInput
            label={t('developer.settings.lambda')}
            description={t('developer.settings.lambda.text')}
            min={0}
            max={100}
            decimalScale={3}
            allowNegative={false}
            hideControls
            {...form.getInputProps('lambda')}
          />
          <ProblemNotice error={error} />
          <Group>
            <Button type="submit" loading={isBusy}>
              {t('developer.save')}
            </Button>
          </Group>
        </Stack>
      </Panel>
    </form>
  )
}

function ModelFields({ form }: { form: ReturnType<typeof useForm<Values>> }) {
  const { data } = $api.useQuery('get', '/v1/models', {})
  const { defaultModel, allow, deny } = form.values
  const models = data?.data.map(({ id }) => id) ?? [...new Set([...allow, ...deny])]
  const names = [...new Set([defaultModel, ...(data?.virtual.map(({ id }) => id) ?? []), ...models])]
  return (
    <>
      <Select
        label={t('developer.settings.default')}
        description={t('developer.settings.default.text')}
        data={names}
        searchable
        allowDeselect={false}
        {...form.getInputProps('defaultModel')}
      />
      <MultiSelect
        label={t('developer.settings.allow')}
        placeholder={allow.length === 0 ? t('developer.routingKey.allModels') : ''}
        data={models.filter(id => !deny.includes(id))}
        searchable
        {...form.getInputProps('allow')}
      />
      <MultiSelect
        label={t('developer.settings.deny')}
        placeholder={deny.length === 0 ? t('developer.settings.deny.none') : ''}
        data={models.filter(id => !allow.includes(id))}
        searchable
        {...form.getInputProps('deny')}
      />
    </>
  )
}
