import { Modal, NumberInput, Radio, Stack, Text, Textarea, Select, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { money } from '../../../parts/format.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { t } from '../../../texts/text.ts'
import { otherParty, type FundedDeal } from '../deal-state.ts'
import type { ActionProps } from './action.ts'
import { release, requestChanges, type Release } from './commands.ts'
import { CriteriaChoice } from './criteria-choice.tsx'

type Part = 'all' | 'milestone' | 'amount'

const openMilestones = ({ escrow }: FundedDeal) =>
  escrow.milestones.filter(
    ({ amount, released, deliveryStatus }) => amount !== released && deliveryStatus === 'VERIFIED',
  )

/** Pays the seller: first what, where there is a choice, then the confirmation with the amount. */
export function ReleaseMoney({ deal, side, onClose }: ActionProps & { deal: FundedDeal }) {
  const { escrow } = deal
  const verified = openMilestones(deal)
  const [part, setPart] = useState<Part>(escrow.milestones.length > 0 ? 'milestone' : 'all')
  const [amount, setAmount] = useState<string | number>('')
  const [milestoneKey, setMilestone] = useState(verified[0]?.key ?? null)
  const [isAsking, setAsking] = useState(false)
  const chosen = verified.find(({ key }) => key === milestoneKey)
  const sum =
    part === 'all'
      ? escrow.held
      : part === 'amount'
        ? String(amount)
        : String(Number(chosen?.amount ?? 0) - Number(chosen?.released ?? 0))
  const body: Release = {
    escrowId: escrow.id,
    expectedHeld: escrow.held,
    ...(part === 'amount' ? { amount: Number(amount) } : {}),
    ...(part === 'milestone' && chosen ? { milestoneKey: chosen.key } : {}),
  }
  if (isAsking)
    return (
      <ConfirmAmount
        title={t('deal.release.title')}
        amount={sum}
        currency={deal.currency}
        confirm={t('deal.release')}
        opened
        onClose={onClose}
        onConfirm={() => release(body)}
      >
        {t('deal.release.text', { other: otherParty(deal, side) })}
      </ConfirmAmount>
    )
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('deal.release.what')}
      centered
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          setAsking(true)
        }}
      >
        <Stack>
          <Radio.Group aria-label={t('deal.release.what')} value={part} onChange={setPart}>
            <Stack gap="sm">
              <Radio
                value="all"
                label={t('deal.release.all', { amount: money(escrow.held, deal.currency) })}
                data-autofocus
              />
              {verified.length > 0 && <Radio value="milestone" label={t('deal.release.milestone')} />}
              <Radio value="amount" label={t('deal.release.part')} />
            </Stack>
          </Radio.Group>
          {part === 'milestone' && (
            <Select
              label={t('deal.milestone')}
              data={verified.map(({ key, title, amount: price }) => ({
                value: key,
                label: `${title} (${money(price, deal.currency)})`,
              }))}
              value={milestoneKey}
              onChange={setMilestone}
              allowDeselect={false}
            />
          )}
          {part === 'amount' && (
            <NumberInput
              label={t('deal.release.amount')}
              value={amount}
              onChange={setAmount}
              min={0.01}
              max={Number(escrow.held)}
              decimalScale={6}
              hideControls
              required
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('action.cancel')}
            </Button>
            <Button type="submit">{t('deal.release.next')}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Sends a delivery back to the seller. */
export function RequestChanges({ deal, onClose }: ActionProps & { deal: FundedDeal }) {
  const [reason, setReason] = useState('')
  const [criteria, setCriteria] = useState<string[]>([])
  const verified = openMilestones(deal)
  const [milestoneKey, setMilestone] = useState<string | null>(null)
  return (
    <FormDialog
      title={t('deal.changes.title')}
      confirm={t('deal.changes.send')}
      opened
      onClose={onClose}
      onConfirm={() =>
        requestChanges(deal.escrow.id, {
          reason,
          ...(criteria.length > 0 ? { criteria } : {}),
          ...(milestoneKey ? { milestoneKey } : {}),
        })
      }
    >
      <Text size="sm">{t('deal.changes.text', { left: 3 - deal.escrow.changesRequested })}</Text>
      <Textarea
        label={t('deal.changes.reason')}
        value={reason}
        onChange={event => setReason(event.currentTarget.value)}
        autosize
        minRows={3}
        maxLength={2000}
        required
        data-autofocus
      />
      {verified.length > 1 && (
        <Select
          label={t('deal.milestone')}
          placeholder={t('deal.changes.every')}
          data={verified.map(({ key, title }) => ({ value: key, label: title }))}
          value={milestoneKey}
          onChange={setMilestone}
          clearable
        />
      )}
      <CriteriaChoice deal={deal} value={criteria} onChange={setCriteria} />
    </FormDialog>
  )
}
