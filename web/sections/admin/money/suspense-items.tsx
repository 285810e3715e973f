import { Group, Stack } from '@mantine/core'
import { IconZoomQuestion } from '@tabler/icons-react'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import type { SuspendedPayment } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { ListView } from '../../../parts/list-view.tsx'
import { WalletPicker } from '../parts/wallet-picker.tsx'
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
  const [walletId, setWallet] = useState<string | null>(null)
  const assign = $api.useMutation('post', '/admin/suspense/{id}/assign')
  const giveBack = $api.useMutation('post', '/admin/suspense/{id}/return')
  if (resolution !== null) return null
  const params = { path: { id } }
  const refresh = () => refreshReads('/admin/')
  const subject = money(amount, currency)
  return (
    <Group gap="xs" wrap="nowrap">
      {posted && (
        <ActionButton
          label={t('admin.assign')}
          subject={subject}
          title={t('admin.assign.title')}
          text={t('admin.assign.text')}
          amount={amount}
          currency={currency}
          reason="required"
          button={{ variant: 'filled' }}
          done={t('admin.assign.done')}
          onConfirm={reason =>
            assign.mutateAsync({ params, body: { walletId: walletId ?? '', reason } }).then(refresh)
          }
        >
          <WalletPicker currency={currency} value={walletId} onChange={setWallet} />
        </ActionButton>
      )}
      <ActionButton
        label={t('admin.return')}
        subject={subject}
        title={t('admin.return.title')}
        text={t('admin.return.text')}
        amount={amount}
        currency={currency}
        reason="required"
        done={t('admin.return.done')}
        onConfirm={reason => giveBack.mutateAsync({ params, body: { reason } }).then(refresh)}
      />
    </Group>
  )
}
