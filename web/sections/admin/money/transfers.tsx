import { IconCurrencyEthereum } from '@tabler/icons-react'
import { $api } from '../../../api/client.ts'
import type { SuspendedTransfer } from '../../../api/schema.d.ts'
import { money, networkName } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ListView } from '../../../parts/list/list-view.tsx'
import { AssignOrReturn } from './assign-or-return.tsx'
import type { MoneyProps } from './waiting-money.tsx'

const CURRENCY = 'USDC'
const short = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`

/** Transfers on the chain that pay nothing. */
export function Transfers({ offset, onOffset }: MoneyProps) {
  const read = $api.useQuery('get', '/admin/x402/transfers', {
    params: { query: { open: true, offset, limit: PAGE_SIZE } },
  })
  return (
    <ListView
      read={read}
      caption={t('admin.money.transfers')}
      idOf={({ id }) => id}
      empty={{
        icon: IconCurrencyEthereum,
        title: t('admin.money.transfers.empty'),
        text: t('admin.money.empty.text'),
      }}
      paging={{ offset, onOffset }}
      columns={[
        { title: t('admin.reason'), render: ({ reason }) => nameOf(reason) },
        { title: t('admin.amount'), align: 'right', render: ({ amount }) => money(amount, CURRENCY) },
        { title: t('admin.payer'), render: ({ payer }) => <span title={payer}>{short(payer)}</span> },
        { title: t('admin.network'), render: ({ network }) => networkName(network) },
        { title: t('admin.state'), render: ({ resolution }) => <Status value={resolution ?? 'OPEN'} /> },
        { title: t('admin.time'), render: ({ createdAt }) => <When at={createdAt} /> },
        { title: t('admin.actions'), isActions: true, render: item => <Exits item={item} /> },
      ]}
    />
  )
}

function Exits({ item: { id, amount, payer, posted, resolution } }: { item: SuspendedTransfer }) {
  const assign = $api.useMutation('post', '/admin/x402/transfers/{id}/assign')
  const giveBack = $api.useMutation('post', '/admin/x402/transfers/{id}/return')
  if (resolution !== null || !posted) return null
  const params = { path: { id } }
  return (
    <AssignOrReturn
      amount={amount}
      currency={CURRENCY}
      returnText={t('admin.transfers.return.text', { payer })}
      assign={(walletId, reason) => assign.mutateAsync({ params, body: { walletId, reason } })}
      giveBack={reason => giveBack.mutateAsync({ params, body: { reason } })}
    />
  )
}
