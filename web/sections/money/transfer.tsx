import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { api, refreshReads } from '../../api/client.ts'
import type { Wallet } from '../../api/schema.d.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { ConfirmAmount } from '../../parts/confirm-amount.tsx'
import { PersonField } from '../../parts/fields/person-field.tsx'
import { isId } from '../../parts/format.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { t } from '../../texts/text.ts'

interface TransferProps {
  wallet: Wallet
  opened: boolean
  onClose(): void
}

/** Sends money to a person or another wallet, after a confirmation: a transfer cannot be undone. */
export function Transfer({ wallet, opened, onClose }: TransferProps) {
  const [to, setTo] = useState('')
  const [amount, setAmount] = useState<string | number>('')
  const [memo, setMemo] = useState('')
  const [isAsking, setAsking] = useState(false)
  const send = async () => {
    const target = isId(to.trim()) ? { toWalletId: to.trim() } : { toUsername: to.trim() }
    await api.POST('/wallets/{id}/transfer', {
      params: { path: { id: wallet.id } },
      body: { ...target, amount: String(amount), ...(memo ? { memo } : {}) },
    })
    await refreshReads('/wallets')
    setAmount('')
  }
  return (
    <>
      <FormDialog
        title={t('money.transfer')}
        confirm={t('money.transfer.next')}
        opened={opened}
        onClose={onClose}
        onConfirm={async () => setAsking(true)}
      >
        <PersonField
          label={t('money.transfer.to')}
          description={t('money.transfer.hint')}
          value={to}
          onValue={setTo}
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
      <ConfirmAmount
        title={t('money.transfer.confirm', { to: to.trim() })}
        amount={amount}
        currency={wallet.currency}
        confirm={t('money.transfer.send')}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        {t('money.transfer.once')}
      </ConfirmAmount>
    </>
  )
}
