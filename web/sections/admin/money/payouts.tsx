import { IconBuildingBank } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import { money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Page } from '../../../parts/page.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, payoutFailure, t } from '../../../texts/text.ts'
import { Filter } from '../parts/filter.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { MaybePerson, useNames } from '../parts/people.tsx'
import { PAYOUT_STATES } from '../states.ts'

const route = getRouteApi('/public/private/app/admin/payouts')

/** Payouts of all owners; one in review is decided by its approval. */
export function Payouts() {
  const { offset = 0, status } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/payouts' })
  const read = $api.useQuery('get', '/admin/payouts', {
    params: { query: { status, offset, limit: PAGE_SIZE } },
  })
  const names = useNames(read.data?.items.map(({ accountId }) => accountId) ?? [])
  return (
    <Page title={t('admin.payouts.title')} description={t('admin.payouts.text')}>
      <Filter
        label={t('admin.state')}
        value={status}
        values={PAYOUT_STATES}
        onChange={next => void navigate({ search: { status: next } })}
      />
      <ListView
        read={read}
        caption={t('admin.payouts.title')}
        idOf={({ id }) => id}
        empty={{
          icon: IconBuildingBank,
          title: t('admin.payouts.empty'),
          text: t('admin.payouts.empty.text'),
        }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { status, offset: next }, replace }),
        }}
        columns={[
          {
            title: t('admin.owner'),
            render: ({ accountId }) => <MaybePerson id={accountId} names={names} />,
          },
          { title: t('admin.kind'), render: ({ ownerType }) => nameOf(ownerType) },
          {
            title: t('admin.amount'),
            align: 'right',
            render: ({ amount, currency }) => money(amount, currency),
          },
          { title: t('admin.rail'), render: ({ rail }) => nameOf(rail.toUpperCase()) },
          { title: t('admin.state'), render: row => <Status value={row.status} /> },
          {
            title: t('admin.note'),
            render: ({ failureCode, failureReason }) => payoutFailure(failureCode, failureReason),
          },
          { title: t('admin.time'), render: ({ createdAt }) => <When at={createdAt} /> },
          {
            title: t('admin.actions'),
            isActions: true,
            render: row =>
              row.status === 'REVIEW' && (
                <TextLink to="/app/admin/approvals" search={{}} size="sm">
                  {t('admin.payouts.decide')}
                </TextLink>
              ),
          },
        ]}
      />
    </Page>
  )
}
