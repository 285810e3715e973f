import { IconUserOff } from '@tabler/icons-react'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import { money } from '../../../parts/format.ts'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'
import { ActionButton, thenRefresh } from '../parts/action-button.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { WalletPicker } from '../parts/wallet-picker.tsx'
import type { MoneyProps } from './waiting-money.tsx'

/** What deleted accounts and closed organizations left behind. */
export function Unclaimed({ offset, onOffset }: MoneyProps) {
  const read = $api.useQuery('get', '/admin/unclaimed', {
    params: { query: { offset, limit: PAGE_SIZE } },
  })
  return (
    <ListView
      read={read}
      caption={t('admin.money.unclaimed')}
      idOf={({ walletId, currency }) => `${walletId} ${currency}`}
      empty={{
        icon: IconUserOff,
        title: t('admin.money.unclaimed.empty'),
        text: t('admin.money.empty.text'),
      }}
      paging={{ offset, onOffset }}
      columns={[
        { title: t('admin.wallet.wallet'), render: ({ walletId }) => `…${walletId.slice(-6)}` },
        {
          title: t('admin.amount'),
          align: 'right',
          render: ({ amount, currency }) => money(amount, currency),
        },
        { title: t('admin.currency'), render: ({ currency }) => currency },
        { title: t('admin.since'), render: ({ since }) => <When at={since} /> },
        { title: t('admin.actions'), isActions: true, render: row => <Assign {...row} /> },
      ]}
    />
  )
}

function Assign({ walletId, amount, currency }: { walletId: string; amount: string; currency: string }) {
  const [toWalletId, setWallet] = useState<string | null>(null)
  const assign = $api.useMutation('post', '/admin/unclaimed/{walletId}/assign')
  return (
    <ActionButton
      label={t('admin.assign')}
      subject={money(amount, currency)}
      title={t('admin.assign.title')}
      text={t('admin.assign.text')}
      amount={amount}
      currency={currency}
      reason="required"
      done={t('admin.assign.done')}
      onConfirm={reason =>
        thenRefresh(
          assign.mutateAsync({
            params: { path: { walletId } },
            body: { toWalletId: toWalletId ?? '', reason },
          }),
        )
      }
    >
      <WalletPicker currency={currency} value={toWalletId} onChange={setWallet} />
    </ActionButton>
  )
}
