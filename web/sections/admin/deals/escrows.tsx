import { IconScale } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import { Page } from '../../../parts/page.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { t } from '../../../texts/text.ts'
import { Filter } from '../parts/filter.tsx'
import { ESCROW_STATES } from '../states.ts'
import { EscrowTable } from './escrow-table.tsx'

const route = getRouteApi('/public/private/app/admin/escrows')

/** Disputes to decide, frozen escrows, and all others by their state. */
export function Escrows() {
  const { offset = 0, status = 'DISPUTED' } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/escrows' })
  const read = $api.useQuery('get', '/admin/escrows', {
    params: { query: { status, offset, limit: PAGE_SIZE } },
  })
  return (
    <Page title={t('admin.escrows.title')} description={t('admin.escrows.text')}>
      <Filter
        label={t('admin.state')}
        value={status}
        values={ESCROW_STATES}
        all={false}
        onChange={next => void navigate({ search: { status: next } })}
      />
      <EscrowTable
        read={read}
        empty={{ icon: IconScale, title: t('admin.escrows.empty'), text: t('admin.escrows.empty.text') }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { status, offset: next }, replace }),
        }}
      />
    </Page>
  )
}
