import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { Payout } from '../../../api/schema.d.ts'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { dateTime, money } from '../../../parts/format.ts'
import { Panel } from '../../../parts/panel.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import type { OnOffset } from '../../../parts/list/pager.tsx'
import { Status } from '../../../parts/status.tsx'
import type { Column } from '../../../parts/list/table.tsx'
import { When } from '../../../parts/when.tsx'
import { payoutFailure, t } from '../../../texts/text.ts'
import { cancelPayout, usePayouts, type Owner } from './payout-owner.ts'

interface PayoutHistoryProps {
  owner: Owner
  offset: number
  onOffset: OnOffset
}

/** The payouts of an owner with their states. */
export function PayoutHistory({ owner, offset, onOffset }: PayoutHistoryProps) {
  const read = usePayouts(owner, offset)
  return (
    <Panel title={t('selling.payouts.history')}>
      <ListView
        read={read}
        caption={t('selling.payouts.history')}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={t('selling.payouts.none')}
        paging={{ offset, onOffset: onOffset }}
      />
    </Panel>
  )
}

const COLUMNS: readonly Column<Payout>[] = [
  { title: t('selling.column.requested'), render: ({ createdAt }) => <When at={createdAt} /> },
  { title: t('selling.column.status'), render: ({ status }) => <Status value={status} /> },
  {
    title: t('selling.column.means'),
    render: payout => (
      <Text size="sm" c="dimmed">
        {meaningOf(payout)}
        {payout.failureCode && ` ${payoutFailure(payout.failureCode, payout.failureReason)}`}
      </Text>
    ),
  },
  {
    title: t('selling.column.amount'),
    align: 'right',
    render: ({ amount, currency }) => money(amount, currency),
  },
  { title: t('selling.column.actions'), isActions: true, render: payout => <Cancel payout={payout} /> },
]

function meaningOf({ status, failureCode, sendAt, createdAt }: Payout): string {
  if (sendAt !== null && sendAt > createdAt) return t('selling.payout.state.held', { time: dateTime(sendAt) })
  // The owner gives no reason: a review, a freeze or a chargeback did.
  if (status === 'CANCELED' && failureCode !== null) return t('selling.payout.state.notSent')
  return t(`selling.payout.state.${status}`)
}

function Cancel({ payout: { id, amount, currency, status } }: { payout: Payout }) {
  const [isAsking, setAsking] = useState(false)
  if (status !== 'REVIEW' && status !== 'REQUESTED') return null
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={t('selling.payout.cancelOf', { amount: money(amount, currency) })}
        onClick={() => setAsking(true)}
      >
        {t('selling.payout.cancel')}
      </Button>
      <ConfirmAmount
        title={t('selling.payout.cancel.title')}
        amount={amount}
        currency={currency}
        confirm={t('selling.payout.cancel')}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => cancelPayout(id)}
      >
        {t('selling.payout.cancel.text')}
      </ConfirmAmount>
    </>
  )
}
