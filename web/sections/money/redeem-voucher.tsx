import { TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { api, refreshReads } from '../../api/client.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { money } from '../../parts/format.ts'
import { t } from '../../texts/text.ts'

/** Turns the code of a voucher into money in the wallet. */
export function RedeemVoucher({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [code, setCode] = useState('')
  const redeem = async () => {
    const { data } = await api.POST('/wallet-vouchers/redeem', { body: { code } })
    if (data)
      notifications.show({ message: t('money.redeemed', { amount: money(data.amount, data.currency) }) })
    setCode('')
    await refreshReads('/wallets', '/wallet-vouchers')
  }
  return (
    <FormDialog
      title={t('money.redeem')}
      confirm={t('money.redeem')}
      opened={opened}
      onClose={onClose}
      onConfirm={redeem}
    >
      <TextInput
        label={t('money.voucher.code')}
        description={t('money.voucher.codeHint')}
        autoComplete="off"
        value={code}
        onChange={event => setCode(event.currentTarget.value)}
        required
        data-autofocus
      />
    </FormDialog>
  )
}
