import { Modal, Radio, Stack, Text, Textarea, Select, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { AmountField } from '../../../parts/amount-field.tsx'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { money } from '../../../parts/format.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { t } from '../../../texts/text.ts'
import { otherValues, type FundedDeal } from '../deal-state.ts'
import type { ActionProps } from './action.ts'
import { release, requestChanges, type Release } from './commands.ts'
import { CriteriaChoice } from './criteria-choice.tsx'

type Part = 'all' | 'milestone' | 'amount'
type Milestone = FundedDeal['escrow']['milestones'][number]

/** A release with the sum that is shown before it. */
interface Asked {
  body: Release
  sum: string
}

const openMilestones = ({ escrow }: FundedDeal) =>
  escrow.milestones.filter(
    ({ amount, released, deliveryStatus }) => amount !== released && deliveryStatus === 'VERIFIED',
  )

/** The release of what is chosen; null for a milestone where none is. */
function askedOf({ escrow }: FundedDeal, part: Part, amount: string, chosen?: Milestone): Asked | null {
  const body = { escrowId: escrow.id, expectedHeld: escrow.held }
  if (part === 'all') return { body, sum: escrow.held }
  if (part === 'amount') return { body: { ...body, amount: Number(amount) }, sum: amount }
  if (!chosen) return null
  const sum = String(Number(chosen.amount) - Number(chosen.released))
  return { body: { ...body, milestoneKey: chosen.key }, sum }
}

/** Pays the seller: first what, where there is a choice, then the confirmation with the amount. */
export function ReleaseMoney({ deal, side, onClose }: ActionProps & { deal: FundedDeal }) {
  const { escrow } = deal
  const verified = openMilestones(deal)
  const [part, setPart] = useState<Part>(verified.length > 0 ? 'milestone' : 'all')
  const [amount, setAmount] = useState<string | number>('')
  const [milestoneKey, setMilestone] = useState(verified[0]?.key ?? null)
  // As it was shown: what is read later changes nothing of what is sent.
  const [asked, setAsked] = useState<Asked | null>(null)
  const chosen = verified.find(({ key }) => key === milestoneKey)
  if (asked)
    return (
      <ConfirmAmount
        title={t('deal.release.title')}
        amount={asked.sum}
        currency={deal.currency}
        confirm={t('deal.release')}
        opened
        onClose={onClose}
        onConfirm={() => release(asked.body)}
      >
        {t('deal.release.text', otherValues(deal, side))}
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
          setAsked(askedOf(deal, part, String(amount), chosen))
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
            <AmountField
              label={t('deal.release.amount')}
              currency={deal.currency}
              value={amount}
              onChange={setAmount}
              min={0.01}
              max={Number(escrow.held)}
              required
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('action.cancel')}
            </Button>
            <Button type="submit" disabled={part === 'milestone' && !chosen}>
              {t('deal.release.next')}
            </Button>
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
