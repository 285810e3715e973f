import { Button, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api, refreshReads } from '../../../api/client.ts'
import { site } from '../../../app/page-data.ts'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { money } from '../../../parts/format.ts'
import { t } from '../../../texts/text.ts'

type Rail = 'card' | 'checkout'

/** A test card needs no page of the processor. */
const rails: readonly Rail[] = site.sandbox ? ['card', 'checkout'] : ['checkout']

interface CardTopUpProps {
  amount: string | number
  /** Called with what happened, in words. */
  onDone(text: string): void
}

/** Tops up the routing balance by card, without a wallet. */
export function CardTopUp({ amount, onDone }: CardTopUpProps) {
  const [rail, setRail] = useState<Rail>(rails[0] ?? 'checkout')
  const [isOpen, setOpen] = useState(false)
  const pay = async () => {
    const { data } = await api.POST('/v1/wallet/topup', {
      body: {
        amount: String(amount),
        rail,
        ...(rail === 'card' ? { paymentMethodId: 'pm_card_visa' } : { returnUrl: location.href }),
      },
    })
    if (data?.checkout) return location.assign(data.checkout.url)
    const key = data?.status === 'PENDING' ? 'developer.balance.cardPending' : 'developer.balance.topUpDone'
    onDone(t(key, { amount: money(amount, 'USD') }))
    await refreshReads('/v1/wallet')
  }
  return (
    <>
      <Button variant="default" disabled={Number(amount) <= 0} onClick={() => setOpen(true)}>
        {t('developer.balance.card')}
      </Button>
      <ConfirmAmount
        title={t('developer.balance.topUpTitle')}
        amount={amount || 0}
        confirm={t('developer.balance.topUp')}
        opened={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={pay}
      >
        <Stack>
          {rails.length > 1 && (
            <SegmentedControl
              aria-label={t('money.rail')}
              value={rail}
              onChange={setRail}
              data={rails.map(value => ({ value, label: t(`money.rail.${value}`) }))}
            />
          )}
          <Text size="sm">{t(`money.rail.${rail}.hint`)}</Text>
        </Stack>
      </ConfirmAmount>
    </>
  )
}
