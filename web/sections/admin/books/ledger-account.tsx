import { IconBook2 } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import { amountIn } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Page } from '../../../parts/page.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { ledgerAccountName, nameOf, t } from '../../../texts/text.ts'
import { Details } from '../../../parts/details.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'

const route = getRouteApi('/public/private/app/admin/ledger/$account')

/** One ledger account with its balances and entries. */
export function LedgerAccountPage() {
  const { account } = route.useParams()
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/ledger/$account' })
  const { data: balances } = $api.useQuery('get', '/admin/ledger/accounts', {
    params: { query: { account } },
  })
  const read = $api.useQuery('get', '/admin/ledger/accounts/{account}/entries', {
    params: { path: { account }, query: { offset, limit: PAGE_SIZE } },
  })
  return (
    <Page
      title={ledgerAccountName(balances?.items[0]?.name ?? '') || t('admin.account')}
      description={account}
    >
      {balances && balances.items.length > 0 && (
        <Details
          rows={balances.items.map(({ balance, currency, freezes }) => [
            t('admin.balanceIn', { currency }),
            [amountIn(balance, currency), ...freezes.map(each => `(${each})`)].join(' '),
          ])}
        />
      )}
      <ListView
        read={read}
        caption={t('admin.entries')}
        idOf={({ journalId, amount, currency }) => `${journalId} ${amount} ${currency}`}
        empty={{ icon: IconBook2, title: t('admin.entries.empty'), text: t('admin.entries.empty.text') }}
        paging={{ offset, onOffset: (next, replace) => void navigate({ search: { offset: next }, replace }) }}
        columns={[
          {
            title: t('admin.journal'),
            render: ({ journalId, kind }) => (
              <TextLink to="/app/admin/ledger/journals/$id" params={{ id: journalId }} size="sm">
                {nameOf(kind)}
              </TextLink>
            ),
          },
          {
            title: t('admin.counterparts'),
            render: ({ counterparts }) => counterparts.map(ledgerAccountName).join(', '),
          },
          {
            title: t('admin.amount'),
            align: 'right',
            render: ({ amount, currency }) => amountIn(amount, currency),
          },
          {
            title: t('admin.balanceAfter'),
            align: 'right',
            render: ({ balanceAfter, currency }) =>
              balanceAfter === null ? '–' : amountIn(balanceAfter, currency),
          },
          { title: t('admin.time'), render: ({ at }) => <When at={at} /> },
        ]}
      />
    </Page>
  )
}
