import { Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { AmountField } from '../../../parts/amount-field.tsx'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { money } from '../../../parts/format.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { t } from '../../../texts/text.ts'
import { otherValues } from '../deal-state.ts'
import type { ActionProps } from './action.ts'
import { cancel, refund, respond } from './commands.ts'

export function Accept({ deal: current, side, onClose }: ActionProps) {
  // The offer that is shown is the one that is accepted: the API refuses one that another has replaced.
  const [deal] = useState(current)
  return (
    <ConfirmAmount
      title={t('deal.accept.title')}
      amount={deal.price}
      currency={deal.currency}
      confirm={t('deal.accept')}
      opened
      onClose={onClose}
      onConfirm={() => respond({ negotiationId: deal.id, status: 'ACCEPTED', round: deal.round })}
    >
      {t(side === 'buyer' ? 'deal.accept.buyer' : 'deal.accept.seller', otherValues(deal, side))}
    </ConfirmAmount>
  )
}

export function Counter({ deal: current, side, onClose }: ActionProps) {
  // Replies to the offer that is shown.
  const [deal] = useState(current)
  const [price, setPrice] = useState<string | number>(deal.price)
  const [notes, setNotes] = useState('')
  return (
    <FormDialog
      title={t('deal.counter.title')}
      confirm={t('deal.counter.send')}
      opened
      onClose={onClose}
      onConfirm={() =>
        respond({
          negotiationId: deal.id,
          status: 'COUNTERED',
          round: deal.round,
          price: Number(price),
          ...(notes.trim() ? { notes: notes.trim() } : {}),
        })
      }
    >
      <Text size="sm">
        {t('deal.counter.text', {
          price: money(deal.price, deal.currency),
          ...otherValues(deal, side),
        })}
      </Text>
      <AmountField
        label={t('deal.counter.price')}
        currency={deal.currency}
        value={price}
        onChange={setPrice}
        min={0.01}
        required
        data-autofocus
      />
      <Message value={notes} onChange={setNotes} />
    </FormDialog>
  )
}

export function Reject({ deal, side, onClose }: ActionProps) {
  const [notes, setNotes] = useState('')
  return (
    <FormDialog
      title={t('deal.reject.title')}
      confirm={t('deal.reject')}
      color="red"
      opened
      onClose={onClose}
      onConfirm={() =>
        respond({
          negotiationId: deal.id,
          status: 'REJECTED',
          ...(notes.trim() ? { notes: notes.trim() } : {}),
        })
      }
    >
      <Text size="sm">{t('deal.reject.text', otherValues(deal, side))}</Text>
      <Message value={notes} onChange={setNotes} />
    </FormDialog>
  )
}

function Message({ value, onChange }: { value: string; onChange(text: string): void }) {
  return (
    <Textarea
      label={t('deal.message')}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      autosize
      minRows={2}
      maxLength={5000}
    />
  )
}

/** Cancels a deal before the work has begun, paid or not. */
export function Cancel({ deal, side, onClose }: ActionProps) {
  if (!deal.escrow || deal.escrow.status === 'PENDING_FUNDING')
    return (
      <FormDialog
        title={t('deal.cancel.title')}
        confirm={t('deal.cancel')}
        color="red"
        opened
        onClose={onClose}
        onConfirm={() => cancel(deal.id)}
      >
        <Text size="sm">{t('deal.cancel.offer', otherValues(deal, side))}</Text>
      </FormDialog>
    )
  return (
    <ConfirmAmount
      title={t('deal.cancel.title')}
      amount={deal.escrow.held}
      currency={deal.currency}
      confirm={t('deal.cancel')}
      color="red"
      opened
      onClose={onClose}
      onConfirm={() => cancel(deal.id)}
    >
      {t('deal.cancel.funded')}
    </ConfirmAmount>
  )
}

/** The seller gives the money back. */
export function Refund({ deal, onClose }: ActionProps) {
  const { escrow } = deal
  if (!escrow) return null
  return (
    <ConfirmAmount
      title={t('deal.refund.title')}
      amount={escrow.held}
      currency={deal.currency}
      confirm={t('deal.refund')}
      color="red"
      opened
      onClose={onClose}
      onConfirm={() => refund(escrow.id)}
    >
      {t('deal.refund.text')}
    </ConfirmAmount>
  )
}
