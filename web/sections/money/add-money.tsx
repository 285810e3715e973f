import { Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api, refreshReads } from '../../api/client.ts'
import type { FundingResult, Wallet } from '../../api/schema.d.ts'
import { site } from '../../app/page-data.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { Copy } from '../../parts/copy.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { dateTime, money, networkName } from '../../parts/format.ts'
import { t } from '../../texts/text.ts'

interface AddMoneyProps {
  wallet: Wallet
  opened: boolean
  onClose(): void
}

type PaymentRequest = NonNullable<FundingResult['paymentRequest']>
type Rail = 'card' | 'checkout' | 'x402'

/** The ways to pay into a wallet: dollars by card, USDC on the chain. A test card needs no page of the processor. */
const railsOf = ({ currency }: Wallet): readonly Rail[] =>
  currency === 'USDC' ? ['x402'] : site.sandbox ? ['card', 'checkout'] : ['checkout']

/** Pays money into a wallet. */
export function AddMoney({ wallet, opened, onClose }: AddMoneyProps) {
  const rails = railsOf(wallet)
  const [rail, setRail] = useState<Rail>(rails[0] ?? 'checkout')
  const [amount, setAmount] = useState<string | number>(100)
  const [request, setRequest] = useState<PaymentRequest | null>(null)
  const fund = async () => {
    const { data } = await api.POST('/wallets/{id}/fund', {
      params: { path: { id: wallet.id } },
      body: {
        amount: String(amount),
        rail,
        ...(rail === 'card' ? { paymentMethodId: 'pm_card_visa' } : {}),
        ...(rail === 'checkout' ? { returnUrl: location.href } : {}),
      },
    })
    // The address of a payment on the chain is for programs.
    if (data?.paymentRequest) setRequest(data.paymentRequest)
    else if (data?.checkout) location.assign(data.checkout.url)
    await refreshReads('/wallets')
  }
  return (
    <>
      <FormDialog
        title={t('money.add')}
        confirm={t('money.addAmount', { amount: money(amount || 0, wallet.currency) })}
        opened={opened}
        onClose={onClose}
        onConfirm={fund}
      >
        {rails.length > 1 && (
          <SegmentedControl
            aria-label={t('money.rail')}
            value={rail}
            onChange={setRail}
            data={rails.map(value => ({ value, label: t(`money.rail.${value}`) }))}
          />
        )}
        <AmountField
          label={t('field.amount')}
          currency={wallet.currency}
          value={amount}
          onChange={setAmount}
          required
          data-autofocus
        />
        <Text size="sm" c="dimmed">
          {t(`money.rail.${rail}.hint`)}
        </Text>
      </FormDialog>
      <ChainPayment
        request={request}
        onClose={() => {
          setRequest(null)
          void refreshReads('/wallets')
        }}
      />
    </>
  )
}

/** Where to send USDC, until the person has copied it. */
function ChainPayment({ request, onClose }: { request: PaymentRequest | null; onClose(): void }) {
  return (
    <Modal
      opened={request !== null}
      onClose={onClose}
      title={t('money.chain.title')}
      centered
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {request && (
        <Stack>
          <Text size="sm">
            {t('money.chain.text', { amount: request.amount, network: networkName(request.network) })}
          </Text>
          <Copy value={request.to} label={t('money.chain.to')} />
          <Text size="sm" c="dimmed">
            {t('money.chain.expires')} {dateTime(request.expiresAt)}
          </Text>
        </Stack>
      )}
    </Modal>
  )
}
