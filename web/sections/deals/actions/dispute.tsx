import { NumberInput, Select, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { oneOf } from '../../../parts/search-params.ts'
import { t } from '../../../texts/text.ts'
import { otherValues, type FundedDeal } from '../deal-state.ts'
import type { ActionProps } from './action.ts'
import { answerDispute, openDispute, withdrawDispute } from './commands.ts'
import { CriteriaChoice } from './criteria-choice.tsx'

type Props = ActionProps & { deal: FundedDeal }
const OUTCOMES = ['REFUND', 'RELEASE', 'SPLIT'] as const

export function OpenDispute({ deal, side, onClose }: Props) {
  const [reason, setReason] = useState('')
  const [asks, setAsks] = useState<(typeof OUTCOMES)[number]>(side === 'buyer' ? 'REFUND' : 'RELEASE')
  const [share, setShare] = useState<string | number>(50)
  const [criteria, setCriteria] = useState<string[]>([])
  return (
    <FormDialog
      title={t('deal.dispute.title')}
      confirm={t('deal.dispute.open')}
      color="red"
      opened
      onClose={onClose}
      onConfirm={() =>
        openDispute(deal.escrow.id, {
          reason,
          asks,
          as: side,
          ...(asks === 'SPLIT' ? { sellerBps: Math.round(Number(share) * 100) } : {}),
          ...(criteria.length > 0 ? { criteria } : {}),
        })
      }
    >
      <Text size="sm">{t('deal.dispute.text', otherValues(deal, side))}</Text>
      <Textarea
        label={t('deal.dispute.reason')}
        value={reason}
        onChange={event => setReason(event.currentTarget.value)}
        autosize
        minRows={3}
        maxLength={2000}
        required
        data-autofocus
      />
      <Select
        label={t('deal.dispute.asks')}
        data={OUTCOMES.map(value => ({ value, label: t(`deal.dispute.asks.${value}`) }))}
        value={asks}
        onChange={value => setAsks(oneOf(OUTCOMES, value) ?? asks)}
        allowDeselect={false}
      />
      {asks === 'SPLIT' && (
        <NumberInput
          label={t('deal.dispute.share')}
          value={share}
          onChange={setShare}
          min={1}
          max={99}
          allowDecimal={false}
          suffix=" %"
          hideControls
          required
        />
      )}
      <CriteriaChoice deal={deal} value={criteria} onChange={setCriteria} />
    </FormDialog>
  )
}

export function AnswerDispute({ deal, onClose }: Props) {
  const [statement, setStatement] = useState('')
  return (
    <FormDialog
      title={t('deal.answer.title')}
      confirm={t('deal.answer.send')}
      opened
      onClose={onClose}
      onConfirm={() => answerDispute(deal.escrow.id, statement)}
    >
      <Text size="sm">{t('deal.answer.text')}</Text>
      <Textarea
        label={t('deal.answer.statement')}
        value={statement}
        onChange={event => setStatement(event.currentTarget.value)}
        autosize
        minRows={3}
        maxLength={2000}
        required
        data-autofocus
      />
    </FormDialog>
  )
}

export function WithdrawDispute({ deal, onClose }: Props) {
  return (
    <FormDialog
      title={t('deal.withdraw.title')}
      confirm={t('deal.withdraw')}
      opened
      onClose={onClose}
      onConfirm={() => withdrawDispute(deal.escrow.id)}
    >
      <Text size="sm">{t('deal.withdraw.text')}</Text>
    </FormDialog>
  )
}
