import { Select, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import { money } from '../../../parts/format.ts'
import { nameOf, t } from '../../../texts/text.ts'

interface WalletPickerProps {
  currency: string
  value: string | null
  onChange(walletId: string | null): void
}

/** Finds an account by name or address, and one of its wallets in this currency. */
export function WalletPicker({ currency, value, onChange }: WalletPickerProps) {
  const [search, setSearch] = useState('')
  const [text] = useDebouncedValue(search, 200)
  const [account, setAccount] = useState<{ value: string; label: string } | null>(null)
  const accountId = account?.value ?? null
  const people = $api.useQuery(
    'get',
    '/admin/users',
    { params: { query: { search: text, limit: 10 } } },
    {
      // The label of the chosen account finds nothing.
      enabled: text.trim().length > 0 && text !== account?.label,
      // The list stays while somebody types on: a choice that it had already is not lost.
      placeholderData: previous => previous,
    },
  )
  const isOfBefore = people.isPlaceholderData || text !== search
  const wanted = search.trim().toLowerCase()
  const wallets = $api.useQuery(
    'get',
    '/admin/wallets',
    { params: { query: { accountId: accountId ?? '', limit: 100 } } },
    { enabled: accountId !== null },
  )
  const choices = (wallets.data?.items ?? []).filter(wallet => wallet.currency === currency)
  return (
    <Stack gap="sm">
      <Select
        label={t('admin.wallet.account')}
        description={t('admin.wallet.find')}
        required
        withAsterisk={false}
        searchable
        data-autofocus
        data={(people.data?.items ?? [])
          .map(({ id, displayName, email }) => ({
            value: id,
            label: email ? `${displayName} (${email})` : displayName,
          }))
          .filter(({ label }) => !isOfBefore || label.toLowerCase().includes(wanted))}
        // The server has searched already.
        filter={({ options }) => options}
        nothingFoundMessage={people.isSuccess && !isOfBefore && t('search.nothing')}
        onSearchChange={setSearch}
        value={accountId}
        onChange={(_, option) => {
          setAccount(option)
          onChange(null)
        }}
      />
      <Select
        label={t('admin.wallet.wallet')}
        required
        withAsterisk={false}
        disabled={accountId === null}
        data={choices.map(({ id, ownerType, isDefault, available }) => ({
          value: id,
          label: t(isDefault ? 'admin.wallet.main' : 'admin.wallet.other', {
            owner: nameOf(ownerType),
            available: money(available, currency),
          }),
        }))}
        nothingFoundMessage={t('admin.wallet.none', { currency })}
        value={value}
        onChange={onChange}
      />
    </Stack>
  )
}
