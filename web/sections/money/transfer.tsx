import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, refreshReads } from '../../api/client.ts'
import type { Wallet } from '../../api/schema.d.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { money } from '../../parts/format.ts'
import { t } from '../../texts/text.ts'

interface TransferProps {
  wallet: Wallet
  opened: boolean
  onClose(): void
}

const WALLET_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Sends money to a person or another wallet. */
export function Transfer({ wallet, opened, onClose }: TransferProps) {
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState<string | number>('')
  const [memo, setMemo] = useState('')
  const send = async () => {
    const target = WALLET_ID.test(to.trim()) ? { toWalletId: to.trim() } : { toUsername: to.trim() }
    await api.POST('/wallets/{id}/transfer', {
      params: { path: { id: wallet.id } },
      body: { ...target, amount: String(amount), ...(memo ? { memo } : {}) },
    })
    await refreshReads('/wallets')
    setAmount('')
  }
  return (
    <FormDialog
      title={t('money.transfer')}
      confirm={t('money.sendAmount', { amount: money(amount || 0, wallet.currency) })}
      opened={opened}
      onClose={onClose}
      onConfirm={send}
    >
      <TextInput
        label={t('money.transfer.to')}
        description={t('money.transfer.hint')}
        value={to}
        onChange={event => setTo(event.currentTarget.value)}
        required
        data-autofocus
      />
      <AmountField
        label={t('field.amount')}
        currency={wallet.currency}
        value={amount}
        onChange={setAmount}
        required
      />
      <TextInput
        label={t('money.transfer.memo')}
        maxLength={500}
        value={memo}
        onChange={event => setMemo(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
