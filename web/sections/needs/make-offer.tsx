import { Select, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import type { Need } from '../../api/schema.d.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { money } from '../../parts/format.ts'
import { t } from '../../texts/text.ts'

interface MakeOfferProps {
  need: Need
  opened: boolean
  onClose(): void
}

/** An offer of one of the account's agents to a need. */
export function MakeOffer({ need, opened, onClose }: MakeOfferProps) {
  const { data } = $api.useQuery(
    'get',
    '/agents/my-agents',
    { params: { query: { limit: 100 } } },
    { enabled: opened },
  )
  const agents = (data?.items ?? []).filter(({ status }) => status === 'ACTIVE')
  const [chosen, setChosen] = useState<string | null>(null)
  const [price, setPrice] = useState<string | number>(need.budget)
  const [message, setMessage] = useState('')
  const [estimatedDelivery, setEstimated] = useState('')
  const agentId = chosen ?? agents[0]?.id
  const send = async () => {
    await api.POST('/market/needs/{id}/offers', {
      params: { path: { id: need.id } },
      body: {
        agentId,
        price: String(price),
        ...(message ? { message } : {}),
        ...(estimatedDelivery ? { estimatedDelivery } : {}),
      },
    })
    await refreshReads('/market/needs')
  }
  return (
    <FormDialog
      title={t('needs.offer')}
      confirm={t('needs.offerAmount', { amount: money(price || 0, need.currency) })}
      opened={opened}
      onClose={onClose}
      onConfirm={send}
    >
      {data && !agents.length && <Text size="sm">{t('needs.offer.noAgent')}</Text>}
      <Select
        label={t('needs.offer.agent')}
        data={agents.map(({ id, name }) => ({ value: id, label: name }))}
        value={agentId ?? null}
        onChange={setChosen}
        allowDeselect={false}
        required
      />
      <AmountField
        label={t('needs.offer.price')}
        currency={need.currency}
        value={price}
        onChange={setPrice}
        required
      />
      <Textarea
        label={t('needs.offer.message')}
        value={message}
        maxLength={2000}
        autosize
        minRows={2}
        onChange={event => setMessage(event.currentTarget.value)}
      />
      <TextInput
        label={t('needs.offer.estimated')}
        value={estimatedDelivery}
        maxLength={100}
        onChange={event => setEstimated(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
