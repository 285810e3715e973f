import { Button } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import type { ServiceAccount } from '../../../api/schema.d.ts'
import { Empty } from '../../../parts/empty.tsx'
import { dateTime } from '../../../parts/format.ts'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { PAGE_SIZE, Pager } from '../../../parts/list/pager.tsx'
import { t } from '../../../texts/text.ts'
import { ShownKey } from '../shown-key.tsx'
import { AccountTable } from './account-table.tsx'
import { AccountForm } from './account-form.tsx'

const route = getRouteApi('/public/private/app/developer/keys')

/** API keys: each belongs to a service account with its own scopes and limit. */
export function ServiceAccounts() {
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/developer/keys' })
  const query = { limit: PAGE_SIZE, offset }
  const { data, error, refetch, isPending } = $api.useQuery('get', '/api/v1/service-accounts', {
    params: { query },
  })
  // 'new' opens the form without values.
  const [edited, setEdited] = useState<ServiceAccount | 'new' | null>(null)
  const [key, setKey] = useState<{ apiKey: string; oldKeyExpiresAt?: string } | null>(null)
  const make = <Button onClick={() => setEdited('new')}>{t('developer.account.create')}</Button>
  return (
    <Page title={t('developer.accounts')} description={t('developer.accounts.text')} actions={make}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      <ShownKey
        value={key?.apiKey ?? null}
        {...(key?.oldKeyExpiresAt
          ? { note: t('developer.account.oldKey', { time: dateTime(key.oldKeyExpiresAt) }) }
          : {})}
        onClose={() => setKey(null)}
      />
      {isPending && <Loading />}
      {data?.items.length === 0 && (
        <Empty
          icon={IconKey}
          title={t('developer.accounts.empty')}
          text={t('developer.accounts.emptyText')}
          action={make}
        />
      )}
      {data && data.items.length > 0 && (
        <AccountTable accounts={data.items} onKey={setKey} onEdit={setEdited} />
      )}
      {data && (
        <Pager
          total={data.total}
          isCapped={data.totalIsCapped ?? false}
          offset={offset}
          onOffset={(next, replace) => void navigate({ search: { offset: next }, replace })}
        />
      )}
      {edited && (
        <AccountForm
          edited={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onMade={setKey}
        />
      )}
    </Page>
  )
}
