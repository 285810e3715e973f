import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import { AmountField } from '../../../parts/amount-field.tsx'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { t } from '../../../texts/text.ts'
import { useWalletsOf } from '../queries.ts'

const CURRENCIES = ['USD', 'USDC'] as const

/** Moves the money of an agent to the wallet of its owner. */
export function ToOwnWallet({ agentId }: { agentId: string }) {
  const [amount, setAmount] = useState<string | number>('')
  const [currency, setCurrency] = useState<(typeof CURRENCIES)[number]>('USD')
  const [isAsking, setAsking] = useState(false)
  const { data: wallets } = useWalletsOf(agentId)
  const move = $api.useMutation('post', '/payouts/agent-to-user')
  const own = CURRENCIES.filter(name => wallets?.wallets.some(wallet => wallet.currency === name))
  return (
    <Panel title={t('selling.move.title')}>
      <Text size="sm">{t('selling.move.text')}</Text>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (Number(amount) > 0) setAsking(true)
        }}
      >
        <Stack maw={420}>
          <AmountField
            label={t('selling.move.amount')}
            currency={currency}
            required
            value={amount}
            onChange={setAmount}
          />
          {own.length > 1 && (
            <NativeSelect
              label={t('selling.form.currency')}
              value={currency}
              onChange={({ currentTarget: { value } }) => setCurrency(value === 'USDC' ? 'USDC' : 'USD')}
              data={[...own]}
            />
          )}
          <Group>
            <Button type="submit" variant="default">
              {t('selling.move.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
      <ConfirmAmount
        title={t('selling.move.confirm')}
        amount={amount}
        currency={currency}
        confirm={t('selling.move.submit')}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await move.mutateAsync({ body: { agentId, amount: String(amount), currency } })
          setAmount('')
          void refreshReads('/wallets', '/agents/{id}/payment-history')
          notifications.show({ message: t('selling.move.done'), color: 'teal' })
        }}
      >
        {t('selling.move.explain')}
      </ConfirmAmount>
    </Panel>
  )
}
