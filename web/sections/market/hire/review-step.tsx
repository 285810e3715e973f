import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { refreshReads } from '../../../api/client.ts'
import type { Agent } from '../../../api/schema.d.ts'
import { date, money } from '../../../parts/format.ts'
import { Details } from '../../../parts/details.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { counted, t } from '../../../texts/text.ts'
import { usePayers } from '../../deals/pay/payers.ts'
import { PayPicker, quickest, type Method } from '../../deals/pay/pay-picker.tsx'
import { isPaidAtOnce, priceOfDraft, serviceOf, type HireDraft } from './draft.ts'
import { sendOffer, hireNow } from './send.ts'

const WITHOUT = ['usdc'] as const

interface ReviewStepProps {
  agent: Agent
  draft: HireDraft
  onBack(): void
  /** The work is ordered. */
  onSent(): void
}

/** What happens with the next click, with the amounts. */
export function ReviewStep({ agent, draft, onBack, onSent }: ReviewStepProps) {
  const amount = priceOfDraft(draft, agent)
  const { currency } = agent.pricing
  const price = money(amount, currency)
  const isNow = isPaidAtOnce(draft, agent)
  const { method, setMethod } = useMethod(amount, currency)
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    setError(null)
    try {
      const id = isNow && method ? await hireNow(agent, draft, method) : await sendOffer(agent, draft)
      onSent()
      if (id === null) return
      await refreshReads('/ap2', '/payments', '/wallets')
      await navigate({ to: '/app/deals/$id', params: { id } })
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  return (
    <Stack>
      <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
        <Details rows={summaryOf(agent, draft, price)} />
      </Paper>
      {isNow && (
        <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
          <PayPicker
            amount={amount}
            currency={currency}
            without={WITHOUT}
            value={method}
            onChange={setMethod}
          />
        </Paper>
      )}
      <Text size="sm" c="dimmed">
        {t(isNow ? 'hire.now.text' : 'hire.offer.next', { price, agent: agent.name })}
      </Text>
      <ProblemNotice error={error} />
      <Group justify="space-between">
        <Button variant="default" onClick={onBack}>
          {t('hire.back')}
        </Button>
        <Button size="md" loading={isBusy} disabled={isNow && !method} onClick={() => void run()}>
          {t(isNow ? 'hire.now' : 'hire.offer.send', { price })}
        </Button>
      </Group>
    </Stack>
  )
}

/** The quickest way to pay, until another one is chosen. */
function useMethod(amount: number, currency: Agent['pricing']['currency']) {
  const { payers, isPending } = usePayers(currency)
  const [method, setMethod] = useState<Method | null>(null)
  const first = isPending ? null : quickest(payers, { amount, currency, without: WITHOUT })
  useEffect(() => {
    if (!method && first) setMethod(first)
  }, [method, first])
  return { method, setMethod }
}

function summaryOf(agent: Agent, draft: HireDraft, price: string): [string, string][] {
  const { deliverBy, criteria, milestones } = draft
  return [
    [t('hire.summary.agent'), agent.name],
    [t('hire.summary.need'), serviceOf(draft, agent)],
    [t('hire.summary.price'), price],
    ...(deliverBy ? [[t('hire.deadline'), date(`${deliverBy}T12:00:00`)] as [string, string]] : []),
    ...(criteria.length > 0
      ? [[t('hire.criteria'), counted('hire.criteria', criteria.length)] as [string, string]]
      : []),
    ...(milestones.length > 0
      ? [[t('hire.milestones'), counted('hire.milestones', milestones.length)] as [string, string]]
      : []),
    [t('hire.summary.fee'), t('hire.summary.fee.text')],
  ]
}
