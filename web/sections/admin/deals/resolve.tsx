import { Checkbox, NumberInput, Radio, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import type { DisputeOutcome, Escrow } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { t } from '../../../texts/text.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Details } from '../../../parts/details.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { partsOf } from './split.ts'

const OUTCOMES: readonly DisputeOutcome[] = ['RELEASE', 'REFUND', 'SPLIT']

/** Decides a disputed or frozen escrow: the parts of both sides add up to what is held. */
export function Resolve({ escrow }: { escrow: Escrow }) {
  const { dispute, held, currency, id } = escrow
  const [outcome, setOutcome] = useState<DisputeOutcome>(dispute?.asks ?? 'REFUND')
  const [percent, setPercent] = useState<string | number>((dispute?.sellerBps ?? 5000) / 100)
  const [to, setTo] = useState<'wallet' | 'card'>('wallet')
  const [sellerAtFault, setAtFault] = useState(false)
  const resolve = $api.useMutation('post', '/payments/escrow/{id}/resolve')
  const shareBps = Math.min(Math.round(Number(percent) * 100), 10_000)
  const sellerBps = outcome === 'RELEASE' ? 10_000 : outcome === 'REFUND' ? 0 : shareBps
  // While the share is typed it may be empty, or be the 0 of 0.5.
  const isSplit = sellerBps > 0 && sellerBps < 10_000
  const parts = partsOf(held, sellerBps)
  const decide = (reason: string) =>
    resolve
      .mutateAsync({
        params: { path: { id } },
        body: {
          outcome,
          reason,
          sellerAtFault,
          ...(outcome === 'SPLIT' ? { sellerBps } : {}),
          ...(outcome === 'RELEASE' ? {} : { to }),
        },
      })
      .then(() => refreshReads('/payments/escrow', '/admin/'))
  return (
    <Panel title={t('admin.decision')}>
      <Radio.Group
        label={t('admin.outcome')}
        value={outcome}
        onChange={value => setOutcome(OUTCOMES.find(each => each === value) ?? 'REFUND')}
      >
        <Stack gap="xs" mt="xs">
          {OUTCOMES.map(each => (
            <Radio key={each} value={each} label={t(`admin.outcome.${each}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {outcome === 'SPLIT' && (
        <NumberInput
          label={t('admin.share')}
          suffix=" %"
          min={0.01}
          max={99.99}
          decimalScale={2}
          allowNegative={false}
          value={percent}
          onChange={setPercent}
          maw={260}
        />
      )}
      <Details
        rows={[
          [t('admin.toSeller'), money(parts.seller, currency)],
          [t('admin.toBuyer'), money(parts.buyer, currency)],
          [t('admin.heldNow'), money(held, currency)],
        ]}
      />
      {outcome !== 'RELEASE' && (
        <Select
          label={t('admin.refundTo')}
          value={to}
          allowDeselect={false}
          maw={260}
          data={[
            { value: 'wallet', label: t('admin.refundTo.wallet') },
            { value: 'card', label: t('admin.refundTo.card') },
          ]}
          onChange={value => setTo(value === 'card' ? value : 'wallet')}
        />
      )}
      <Checkbox
        label={t('admin.atFault')}
        checked={sellerAtFault}
        onChange={event => setAtFault(event.currentTarget.checked)}
      />
      <div>
        <ActionButton
          label={t('admin.decide')}
          title={t('admin.decide.title')}
          amount={held}
          currency={currency}
          text={
            <Text span inherit>
              {t('admin.decide.text', {
                seller: money(parts.seller, currency),
                buyer: money(parts.buyer, currency),
              })}
            </Text>
          }
          reason="required"
          reasonLabel={t('admin.statement')}
          button={{ size: 'sm', variant: 'filled', disabled: outcome === 'SPLIT' && !isSplit }}
          done={t('admin.decide.done')}
          onConfirm={decide}
        />
      </div>
    </Panel>
  )
}
