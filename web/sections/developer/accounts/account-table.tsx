import { ActionIcon, Code, Group, Menu, Text } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { useState } from 'react'
import { api, refreshReads } from '../../../api/client.ts'
import type { ServiceAccount } from '../../../api/schema.d.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { money } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'
import { BoundTo } from './binding.tsx'

type Change = 'rotate' | 'expire' | 'revoke'

interface AccountTableProps {
  accounts: readonly ServiceAccount[]
  onKey(key: { apiKey: string; oldKeyExpiresAt?: string }): void
  onEdit(account: ServiceAccount): void
}

export function AccountTable({ accounts, onKey, onEdit }: AccountTableProps) {
  const [asked, setAsked] = useState<{ account: ServiceAccount; change: Change } | null>(null)
  const change = async () => {
    if (!asked) return
    const params = { path: { id: asked.account.id } }
    if (asked.change === 'rotate') {
      const { data } = await api.POST('/api/v1/service-accounts/{id}/rotate', { params })
      if (data) onKey(data)
    } else if (asked.change === 'expire') await api.POST('/api/v1/service-accounts/{id}/expire', { params })
    else await api.DELETE('/api/v1/service-accounts/{id}', { params })
    await refreshReads('/api/v1/service-accounts')
  }
  return (
    <>
      <DataTable
        caption={t('developer.accounts')}
        rows={accounts}
        idOf={({ id }) => id}
        columns={[
          { title: t('developer.name'), render: ({ name }) => <Text fw={500}>{name}</Text> },
          { title: t('developer.key'), render: ({ keyPrefix }) => keyPrefix && <Code>{keyPrefix}</Code> },
          { title: t('developer.binding'), render: account => <BoundTo account={account} /> },
          {
            title: t('developer.scopes'),
            render: ({ scopes }) => scopes.map(scope => t(`developer.scope.${scope}`)).join(', '),
          },
          {
            title: t('developer.account.limit'),
            align: 'right',
            render: ({ spendingLimit }) => (spendingLimit ? money(spendingLimit) : t('developer.unlimited')),
          },
          {
            title: t('developer.lastUsed'),
            render: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : t('developer.never')),
          },
          {
            title: t('developer.expires'),
            render: ({ expiresAt }) => (expiresAt ? <When at={expiresAt} /> : t('developer.expiry.never')),
          },
          { title: t('developer.status'), render: ({ status }) => <Status value={status} /> },
          {
            title: t('developer.actions'),
            isActions: true,
            render: account =>
              account.status !== 'REVOKED' && (
                <Changes
                  account={account}
                  onEdit={() => onEdit(account)}
                  onChange={next => setAsked({ account, change: next })}
                />
              ),
          },
        ]}
      />
      <FormDialog
        title={t(`developer.account.${asked?.change ?? 'rotate'}`)}
        confirm={t(`developer.account.${asked?.change ?? 'rotate'}`)}
        color={asked?.change === 'rotate' ? 'green' : 'red'}
        opened={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={change}
      >
        <Text size="sm">
          {t(`developer.account.${asked?.change ?? 'rotate'}Text`, { name: asked?.account.name ?? '' })}
        </Text>
      </FormDialog>
    </>
  )
}

interface ChangesProps {
  account: ServiceAccount
  onEdit(): void
  onChange(change: Change): void
}

function Changes({ account, onEdit, onChange }: ChangesProps) {
  const isActive = account.status === 'ACTIVE'
  return (
    <Group justify="flex-end">
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" aria-label={t('developer.account.change', { name: account.name })}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onEdit}>{t('developer.account.edit')}</Menu.Item>
          {isActive && (
            <>
              <Menu.Item onClick={() => onChange('rotate')}>{t('developer.account.rotate')}</Menu.Item>
              <Menu.Item onClick={() => onChange('expire')}>{t('developer.account.expire')}</Menu.Item>
            </>
          )}
          <Menu.Item color="red" onClick={() => onChange('revoke')}>
            {t('developer.account.revoke')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
