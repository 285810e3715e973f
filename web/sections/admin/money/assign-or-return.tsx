import { Group } from '@mantine/core'
import { useState } from 'react'
import { money } from '../../../parts/format.ts'
import { t } from '../../../texts/text.ts'
import { ActionButton, thenRefresh } from '../parts/action-button.tsx'
import { WalletPicker } from '../parts/wallet-picker.tsx'

interface AssignOrReturnProps {
  amount: string
  currency: string
  /** Where the money goes if it is returned. */
  returnText: string
  /** Missing for money that is not in the books yet. */
  assign?: ((walletId: string, reason: string) => Promise<unknown>) | undefined
  giveBack(reason: string): Promise<unknown>
}

/** The two ways out for money that belongs to nothing: into a wallet, or back to its payer. */
export function AssignOrReturn({ amount, currency, returnText, assign, giveBack }: AssignOrReturnProps) {
  const [walletId, setWallet] = useState<string | null>(null)
  const about = { subject: money(amount, currency), amount, currency, reason: 'required' } as const
  return (
    <Group gap="xs" wrap="nowrap">
      {assign && (
        <ActionButton
          {...about}
          label={t('admin.assign')}
          title={t('admin.assign.title')}
          text={t('admin.assign.text')}
          button={{ variant: 'filled' }}
          done={t('admin.assign.done')}
          onConfirm={reason => thenRefresh(assign(walletId ?? '', reason))}
        >
          <WalletPicker currency={currency} value={walletId} onChange={setWallet} />
        </ActionButton>
      )}
      <ActionButton
        {...about}
        label={t('admin.return')}
        title={t('admin.return.title')}
        text={returnText}
        done={t('admin.return.done')}
        onConfirm={reason => thenRefresh(giveBack(reason))}
      />
    </Group>
  )
}
