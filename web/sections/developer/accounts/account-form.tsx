import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { site } from '../../../app/page-data.ts'
import { api, refreshReads } from '../../../api/client.ts'
import type { Scope, ServiceAccount } from '../../../api/schema.d.ts'
import { AmountField } from '../../../parts/amount-field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { offerUndo } from '../../../app/undo.tsx'
import { t } from '../../../texts/text.ts'
import { BindingField, bindingOf, type Binding } from './binding.tsx'
import { ExpiryField, expiryTime, type Expiry } from '../expiry.tsx'

const SCOPES: readonly Scope[] = ['agent:read', 'agent:write', 'ap2:negotiate', 'ap2:execute']

interface AccountFormProps {
  /** The service account that is changed; a new one without it. */
  edited: ServiceAccount | null
  onClose(): void
  onMade(account: { apiKey: string }): void
}

type Granted = Pick<ServiceAccount, 'name' | 'scopes' | 'spendingLimit'>

/** `expiresAt`: undefined for no change. */
async function change(
  id: string,
  { name, scopes, spendingLimit }: Granted,
  expiresAt: string | null | undefined,
): Promise<void> {
  const body = { name, scopes, spendingLimit, ...(expiresAt === undefined ? {} : { expiresAt }) }
  await api.PATCH('/api/v1/service-accounts/{id}', { params: { path: { id } }, body })
  await refreshReads('/api/v1/service-accounts')
}

/** An end in the past cannot be set again: such a key ends now. */
async function takeBack(before: ServiceAccount, isEndChanged: boolean): Promise<void> {
  const { id, status, expiresAt } = before
  if (!isEndChanged || status !== 'EXPIRED') return change(id, before, isEndChanged ? expiresAt : undefined)
  await api.POST('/api/v1/service-accounts/{id}/expire', { params: { path: { id } } })
  await change(id, before, undefined)
}

/** Asks what a key may do. */
export function AccountForm({ edited, onClose, onMade }: AccountFormProps) {
  const [name, setName] = useState(edited?.name ?? '')
  const [scopes, setScopes] = useState<Scope[]>(edited?.scopes ?? ['agent:read'])
  const [limit, setLimit] = useState<string | number>(edited?.spendingLimit ?? '')
  const [expiry, setExpiry] = useState<Expiry>(edited ? 'unchanged' : '90')
  const [binding, setBinding] = useState<Binding>('account')
  const spendingLimit = limit === '' ? null : String(limit)
  const save = async () => {
    if (edited) {
      await change(edited.id, { name, scopes, spendingLimit }, expiryTime(expiry))
      offerUndo(t('developer.saved'), () => takeBack(edited, expiry !== 'unchanged'))
      return
    }
    const body = { name, scopes, spendingLimit, expiresAt: expiryTime(expiry), ...bindingOf(binding) }
    const { data } = await api.POST('/api/v1/service-accounts', { body })
    if (data) onMade(data)
    await refreshReads('/api/v1/service-accounts')
  }
  return (
    <FormDialog
      title={edited ? t('developer.account.editNamed', { name: edited.name }) : t('developer.account.create')}
      confirm={edited ? t('developer.save') : t('developer.account.create')}
      opened
      onClose={onClose}
      onConfirm={save}
    >
      <TextInput
        label={t('developer.name')}
        description={t('developer.account.nameHint')}
        value={name}
        maxLength={100}
        onChange={event => setName(event.currentTarget.value)}
        required
        data-autofocus
      />
      {!edited && <BindingField value={binding} onChange={setBinding} />}
      <Checkbox.Group label={t('developer.scopes')} value={scopes} onChange={setScopes}>
        <Stack gap="xs" mt="xs">
          {SCOPES.map(scope => (
            <Checkbox
              key={scope}
              value={scope}
              label={t(`developer.scope.${scope}`)}
              description={t(`developer.scope.${scope}.text`)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <AmountField
        label={t('developer.account.limit')}
        description={t('developer.account.limitHint')}
        currency={site.currency}
        value={limit}
        onChange={setLimit}
      />
      <ExpiryField value={expiry} onChange={setExpiry} canKeep={edited !== null} />
    </FormDialog>
  )
}
