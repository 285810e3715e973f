import { Stack } from '@mantine/core'
import { IconZoomQuestion } from '@tabler/icons-react'
import { $api } from '../../../api/client.ts'
import type { SuspendedPayment } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ListView } from '../../../parts/list/list-view.tsx'
import { AssignOrReturn } from './assign-or-return.tsx'
import type { MoneyProps } from './waiting-money.tsx'

/** Card payments that fit none of ours. */
export function SuspenseItems({ offset, onOffset }: MoneyProps) {
  const read = $api.useQuery('get', '/admin/suspense', {
    params: { query: { open: true, offset, limit: PAGE_SIZE } },
  })
  return (
    <Stack>
      <ListView
        read={read}
        caption={t('admin.money.payments')}
        idOf={({ id }) => id}
        empty={{ icon: IconZoomQuestion, title: t('admin.money.empty'), text: t('admin.money.empty.text') }}
        paging={{ offset, onOffset }}
        columns={[
          { title: t('admin.reason'), render: ({ reason }) => nameOf(reason) },
          {
            title: t('admin.amount'),
            align: 'right',
            render: ({ amount, currency }) => money(amount, currency),
          },
          { title: t('admin.processorId'), render: ({ id }) => id },
          { title: t('admin.time'), render: ({ createdAt }) => <When at={createdAt} /> },
          {
            title: t('admin.state'),
            render: ({ resolution, posted }) => (
              <Status value={resolution ?? (posted ? 'OPEN' : 'NOT_POSTED')} />
            ),
          },
          { title: t('admin.actions'), isActions: true, render: item => <Exits item={item} /> },
        ]}
      />
    </Stack>
  )
}

function Exits({ item: { id, amount, currency, posted, resolution } }: { item: SuspendedPayment }) {
  const assign = $api.useMutation('post', '/admin/suspense/{id}/assign')
  const giveBack = $api.useMutation('post', '/admin/suspense/{id}/return')
  if (resolution !== null) return null
  const params = { path: { id } }
  return (
    <AssignOrReturn
      amount={amount}
      currency={currency}
      returnText={t('admin.return.text')}
      assign={
        posted ? (walletId, reason) => assign.mutateAsync({ params, body: { walletId, reason } }) : undefined
      }
      giveBack={reason => giveBack.mutateAsync({ params, body: { reason } })}
    />
  )
}
