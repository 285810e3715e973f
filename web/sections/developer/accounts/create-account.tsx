import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { site } from '../../../app/page-data.ts'
import { api, refreshReads } from '../../../api/client.ts'
import type { Scope } from '../../../api/schema.d.ts'
import { AmountField } from '../../../parts/amount-field.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { t } from '../../../texts/text.ts'
import { ExpiryField, expiryTime, type Expiry } from '../expiry.tsx'

const SCOPES: readonly Scope[] = ['agent:read', 'agent:write', 'ap2:negotiate', 'ap2:execute']

interface CreateAccountProps {
  opened: boolean
  onClose(): void
  onMade(account: { apiKey: string }): void
}

/** Asks what a new key may do. */
export function CreateAccount({ opened, onClose, onMade }: CreateAccountProps) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>(['agent:read'])
  const [limit, setLimit] = useState<string | number>('')
  const [expiry, setExpiry] = useState<Expiry>('90')
  const create = async () => {
    const { data } = await api.POST('/api/v1/service-accounts', {
      body: {
        name,
        scopes,
        expiresAt: expiryTime(expiry),
        ...(limit === '' ? {} : { spendingLimit: String(limit) }),
      },
    })
    if (data) onMade(data)
    setName('')
    await refreshReads('/api/v1/service-accounts')
  }
  return (
    <FormDialog
      title={t('developer.account.create')}
      confirm={t('developer.account.create')}
      opened={opened}
      onClose={onClose}
      onConfirm={create}
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
      <ExpiryField value={expiry} onChange={setExpiry} />
    </FormDialog>
  )
}
