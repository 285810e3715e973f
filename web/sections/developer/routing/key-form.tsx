import { MultiSelect, NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { $api, api, refreshReads } from '../../../api/client.ts'
import type { RoutingKey } from '../../../api/schema.d.ts'
import { AmountField } from '../../../parts/amount-field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { separators } from '../../../parts/format.ts'
import { offerUndo } from '../../../app/undo.tsx'
import { t } from '../../../texts/text.ts'
import { ExpiryField, expiryTime, type Expiry } from '../expiry.tsx'

const AMOUNTS = ['dailyUsd', 'weeklyUsd', 'monthlyUsd', 'endUserDailyUsd'] as const
const COUNTS = ['rpm', 'tpm', 'parallel'] as const

interface KeyFormProps {
  /** The key that is changed; a new one without it. */
  edited: RoutingKey | null
  onClose(): void
  onMade(key: string): void
}

interface Values {
  name: string
  allowedModels: string[]
  redactPii: boolean
  expiry: Expiry
  limits: Record<(typeof AMOUNTS)[number] | (typeof COUNTS)[number], string | number>
}

const valuesOf = (key: RoutingKey | null): Values => ({
  name: key?.name ?? '',
  allowedModels: key?.allowedModels ?? [],
  redactPii: key?.redactPii ?? false,
  expiry: 'never',
  limits: {
    dailyUsd: key?.limits.dailyUsd ?? '',
    weeklyUsd: key?.limits.weeklyUsd ?? '',
    monthlyUsd: key?.limits.monthlyUsd ?? '',
    endUserDailyUsd: key?.limits.endUserDailyUsd ?? '',
    rpm: key?.limits.rpm ?? '',
    tpm: key?.limits.tpm ?? '',
    parallel: key?.limits.parallel ?? '',
  },
})

const count = (value: string | number): number | null => (value === '' ? null : Number(value))
const amount = (value: string | number): string | null => (value === '' ? null : String(value))

function bodyOf({ name, allowedModels, redactPii, limits }: Values) {
  const { dailyUsd, weeklyUsd, monthlyUsd, endUserDailyUsd, rpm, tpm, parallel } = limits
  return {
    ...(name ? { name } : {}),
    allowedModels,
    redactPii,
    limits: {
      dailyUsd: amount(dailyUsd),
      weeklyUsd: amount(weeklyUsd),
      monthlyUsd: amount(monthlyUsd),
      endUserDailyUsd: amount(endUserDailyUsd),
      rpm: count(rpm),
      tpm: count(tpm),
      parallel: count(parallel),
    },
  }
}

async function change(id: string, values: Values): Promise<void> {
  await api.PATCH('/v1/auth/keys/{id}', { params: { path: { id } }, body: bodyOf(values) })
  await refreshReads('/v1/auth/keys')
}

/** Name, models and limits of a routing key. A field that is empty is no limit. */
export function KeyForm({ edited, onClose, onMade }: KeyFormProps) {
  const form = useForm<Values>({ initialValues: valuesOf(edited) })
  const { data: models } = $api.useQuery('get', '/v1/models', {})
  const save = async () => {
    if (edited) {
      await change(edited.id, form.values)
      offerUndo(t('developer.saved'), () => change(edited.id, valuesOf(edited)))
      return
    }
    const body = { ...bodyOf(form.values), expiresAt: expiryTime(form.values.expiry) }
    const { data } = await api.POST('/v1/auth/keys', { body })
    if (data) onMade(data.key)
    await refreshReads('/v1/auth/keys')
  }
  return (
    <FormDialog
      title={
        edited ? t('developer.routingKey.editNamed', { name: edited.name }) : t('developer.routingKey.create')
      }
      confirm={edited ? t('developer.save') : t('developer.routingKey.create')}
      opened
      onClose={onClose}
      onConfirm={save}
    >
      <TextInput
        label={t('developer.name')}
        maxLength={100}
        required
        data-autofocus
        {...form.getInputProps('name')}
      />
      <MultiSelect
        label={t('developer.routingKey.models')}
        placeholder={form.values.allowedModels.length === 0 ? t('developer.routingKey.allModels') : ''}
        data={models?.data.map(({ id }) => id) ?? form.values.allowedModels}
        searchable
        {...form.getInputProps('allowedModels')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {AMOUNTS.map(name => (
          <AmountField
            key={name}
            label={t(`developer.limit.${name}`)}
            placeholder={t('developer.unlimited')}
            currency="USD"
            {...form.getInputProps(`limits.${name}`)}
          />
        ))}
        {COUNTS.map(name => (
          <NumberInput
            key={name}
            label={t(`developer.limit.${name}`)}
            placeholder={t('developer.unlimited')}
            min={1}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            thousandSeparator={separators().thousandSeparator}
            {...form.getInputProps(`limits.${name}`)}
          />
        ))}
      </SimpleGrid>
      <Switch
        label={t('developer.routingKey.redact')}
        description={t('developer.routingKey.redactHint')}
        {...form.getInputProps('redactPii', { type: 'checkbox' })}
      />
      {!edited && (
        <ExpiryField value={form.values.expiry} onChange={next => form.setFieldValue('expiry', next)} />
      )}
    </FormDialog>
  )
}
