import { Alert, Button, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconGift } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import type { Voucher, Wallet } from '../../api/schema.d.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { ConfirmAmount } from '../../parts/confirm-amount.tsx'
import { Copy } from '../../parts/copy.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { date, money } from '../../parts/format.ts'
import { Page } from '../../parts/page.tsx'
import { ListView } from '../../parts/list/list-view.tsx'
import { Status } from '../../parts/status.tsx'
import { PAGE_SIZE } from '../../parts/list/pager.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { t } from '../../texts/text.ts'
import { useWalletOwner } from './wallet-owner.ts'

const route = getRouteApi('/public/private/app/vouchers')

/** Vouchers that the account has made, or those of one wallet: amounts that the holder of the code can redeem. */
export function Vouchers() {
  const { wallet: walletId, offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/vouchers' })
  const query = { limit: PAGE_SIZE, offset, walletId }
  const read = $api.useQuery('get', '/wallet-vouchers', { params: { query } })
  const { wallets, name, maySpend } = usePayingWallets(walletId)
  const [isMaking, setMaking] = useState(false)
  const [code, setCode] = useState<string | null>(null)
  const [cancelled, setCancelled] = useState<Voucher | null>(null)
  const make = maySpend && <Button onClick={() => setMaking(true)}>{t('money.voucher.create')}</Button>
  return (
    <Page
      title={t('money.vouchers')}
      description={name === undefined ? t('money.vouchers.text') : t('money.vouchers.textOf', { name })}
      actions={make}
    >
      {code && (
        <Alert
          color="green"
          title={t('money.voucher.made')}
          withCloseButton
          closeButtonLabel={t('action.close')}
          onClose={() => setCode(null)}
        >
          <Stack gap="xs">
            <Text size="sm">{t('money.voucher.once')}</Text>
            <Copy value={code} label={t('money.voucher.code')} />
          </Stack>
        </Alert>
      )}
      <ListView
        read={read}
        caption={t('money.vouchers')}
        columns={columnsFor(maySpend ? setCancelled : undefined)}
        idOf={({ id }) => id}
        empty={{
          icon: IconGift,
          title: t('money.vouchers.empty'),
          text: t('money.vouchers.emptyText'),
          action: make,
        }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { wallet: walletId, offset: next }, replace }),
        }}
      />
      <CreateVoucher wallets={wallets} opened={isMaking} onClose={() => setMaking(false)} onMade={setCode} />
      <ConfirmAmount
        title={t('money.voucher.cancelTitle')}
        amount={cancelled?.amount ?? '0'}
        currency={cancelled?.currency}
        confirm={t('money.voucher.cancel')}
        opened={cancelled !== null}
        onClose={() => setCancelled(null)}
        onConfirm={async () => {
          await api.POST('/wallet-vouchers/{id}/cancel', { params: { path: { id: cancelled?.id ?? '' } } })
          await refreshReads('/wallet-vouchers', '/wallets')
        }}
      >
        {t('money.voucher.cancelText')}
      </ConfirmAmount>
    </Page>
  )
}

/** Without `onCancel` for those who may only read. */
const columnsFor = (onCancel: ((voucher: Voucher) => void) | undefined): readonly Column<Voucher>[] => [
  { title: t('money.voucher.code'), render: ({ codePrefix }) => `${codePrefix}…` },
  {
    title: t('money.column.amount'),
    align: 'right',
    render: ({ amount, currency }) => money(amount, currency),
  },
  { title: t('money.column.note'), render: ({ note }) => note ?? '' },
  { title: t('money.voucher.expires'), render: ({ expiresAt }) => date(expiresAt) },
  { title: t('money.column.status'), render: ({ status }) => <Status value={status} /> },
  {
    title: t('money.voucher.cancel'),
    isActions: true,
    render: voucher =>
      onCancel &&
      voucher.status === 'ACTIVE' && (
        <Button size="xs" variant="default" onClick={() => onCancel(voucher)}>
          {t('money.voucher.cancel')}
        </Button>
      ),
  },
]

/** The wallet that is asked for, or those of the person. */
function usePayingWallets(walletId: string | undefined) {
  const me = useMe()
  const own = $api.useQuery(
    'get',
    '/wallets/user/{userId}',
    { params: { path: { userId: me?.id ?? '' } } },
    { enabled: Boolean(me) && walletId === undefined },
  )
  const one = $api.useQuery(
    'get',
    '/wallets/{id}',
    { params: { path: { id: walletId ?? '' } } },
    { enabled: walletId !== undefined },
  )
  const { name, maySpend } = useWalletOwner(one.data)
  const wallets: readonly Wallet[] =
    walletId === undefined ? (own.data?.wallets ?? []) : one.data ? [one.data] : []
  return { wallets, name, maySpend: maySpend && (walletId === undefined || one.data !== undefined) }
}

interface CreateVoucherProps {
  /** The wallets that can pay. */
  wallets: readonly Wallet[]
  opened: boolean
  onClose(): void
  onMade(code: string): void
}

function CreateVoucher({ wallets, opened, onClose, onMade }: CreateVoucherProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [amount, setAmount] = useState<string | number>('')
  const [note, setNote] = useState('')
  const wallet = wallets.find(({ id }) => id === chosen) ?? wallets[0]
  const create = async () => {
    const { data: made } = await api.POST('/wallet-vouchers', {
      body: { walletId: wallet?.id ?? '', amount: String(amount), ...(note ? { note } : {}) },
    })
    if (made) onMade(made.code)
    await refreshReads('/wallet-vouchers', '/wallets')
  }
  return (
    <FormDialog
      title={t('money.voucher.create')}
      confirm={t('money.voucher.createAmount', { amount: money(amount || 0, wallet?.currency) })}
      opened={opened}
      onClose={onClose}
      onConfirm={create}
    >
      <Select
        label={t('money.voucher.from')}
        data={wallets.map(({ id, currency, withdrawable }) => ({
          value: id,
          label: `${currency} (${money(withdrawable, currency)})`,
        }))}
        value={wallet?.id ?? null}
        onChange={setChosen}
        allowDeselect={false}
      />
      <AmountField
        label={t('field.amount')}
        currency={wallet?.currency ?? 'USD'}
        value={amount}
        onChange={setAmount}
        required
      />
      <TextInput
        label={t('money.voucher.note')}
        value={note}
        maxLength={200}
        onChange={event => setNote(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
