import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { AmountField } from '../../../parts/amount-field.tsx'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { money } from '../../../parts/format.ts'
import { decimalOf, microOf } from '../../../parts/micro.ts'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { offerUndo } from '../../../app/undo.tsx'
import { t } from '../../../texts/text.ts'
import {
  cancelPayout,
  isHeld,
  requestPayout,
  usePayoutAccount,
  usePayoutWallets,
  type Owner,
} from './payout-owner.ts'

/** Asks for an amount and pays it out after a confirmation. */
export function PayoutRequest({ owner }: { owner: Owner }) {
  const wallets = usePayoutWallets(owner)
  const { data: account } = usePayoutAccount(owner)
  const [rail, setRail] = useState<'processor' | 'chain'>('processor')
  const currency = rail === 'chain' ? 'USDC' : 'USD'
  const wallet = wallets.data?.find(each => each.currency === currency && each.isDefault)
  const hasUsdc = wallets.data?.some(each => each.currency === 'USDC') ?? false
  const withdrawable = wallet?.withdrawable ?? '0'
  const isReady = rail === 'chain' || account?.isReady === true
  return (
    <Panel title={t('selling.payout.title')}>
      <ProblemNotice error={wallets.error} retry={() => void wallets.refetch()} />
      {!wallets.data && !wallets.error && <Loading rows={2} />}
      {hasUsdc && (
        <SegmentedControl
          aria-label={t('selling.payout.rail')}
          value={rail}
          onChange={value => setRail(value === 'chain' ? 'chain' : 'processor')}
          data={[
            { value: 'processor', label: t('selling.payout.rail.processor') },
            { value: 'chain', label: t('selling.payout.rail.chain') },
          ]}
        />
      )}
      {wallets.data && (
        <Text size="sm">
          {t('selling.payout.withdrawable', { amount: money(withdrawable, currency) })}{' '}
          {wallet && microOf(wallet.testBalance) > 0n && t('selling.payout.test')}
        </Text>
      )}
      {isReady ? (
        <Fields
          key={rail}
          owner={owner}
          rail={rail}
          withdrawable={withdrawable}
          address={account?.toAddress ?? ''}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {t('selling.payout.notReady')}
        </Text>
      )}
    </Panel>
  )
}

interface FieldsProps {
  owner: Owner
  rail: 'processor' | 'chain'
  withdrawable: string
  address: string
}

function Fields({ owner, rail, withdrawable, address }: FieldsProps) {
  const [amount, setAmount] = useState<string | number>('')
  const [toAddress, setAddress] = useState(address)
  const [isAsking, setAsking] = useState(false)
  const currency = rail === 'chain' ? 'USDC' : 'USD'
  // Banks take whole cents.
  const unit = rail === 'chain' ? 1n : 10_000n
  const most = microOf(withdrawable) - (microOf(withdrawable) % unit)
  const isTooMuch = microOf(amount || 0) > most
  const send = async () => {
    const to = rail === 'chain' ? { toAddress } : {}
    const payout = await requestPayout(owner, { amount: String(amount), rail, ...to })
    setAmount('')
    const done = t('selling.payout.requested')
    if (payout && isHeld(payout)) offerUndo(done, () => cancelPayout(payout.id))
    else notifications.show({ message: done, color: 'teal' })
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        if (Number(amount) > 0 && !isTooMuch) setAsking(true)
      }}
    >
      <Stack maw={420}>
        <AmountField
          label={t('selling.payout.amount')}
          currency={currency}
          required
          decimalScale={rail === 'chain' ? 6 : 2}
          value={amount}
          onChange={setAmount}
          error={isTooMuch ? t('selling.payout.tooMuch') : undefined}
        />
        {rail === 'chain' && (
          <TextInput
            label={t('selling.payout.address')}
            description={t('selling.payout.address.hint')}
            required
            placeholder="0x"
            value={toAddress}
            onChange={event => setAddress(event.currentTarget.value)}
          />
        )}
        <Group gap="xs">
          <Button type="submit" disabled={most <= 0n}>
            {t('selling.payout.request')}
          </Button>
          <Button variant="default" disabled={most <= 0n} onClick={() => setAmount(decimalOf(most))}>
            {t('selling.payout.all')}
          </Button>
        </Group>
      </Stack>
      <ConfirmAmount
        title={t('selling.payout.confirm')}
        amount={amount}
        currency={currency}
        confirm={t('selling.payout.request')}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        {rail === 'chain' ? t('selling.payout.toChain', { address: toAddress }) : t('selling.payout.toBank')}
      </ConfirmAmount>
    </form>
  )
}
