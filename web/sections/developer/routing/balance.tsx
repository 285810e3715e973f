import { Alert, Button, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import { AmountField } from '../../../parts/amount-field.tsx'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { money } from '../../../parts/format.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { Figure } from '../../../parts/figure.tsx'
import { CardTopUp } from './card-top-up.tsx'

type Direction = 'topUp' | 'withdraw'

/** Money for requests to models: moved from a wallet and back, or paid by card. */
export function Balance() {
  const { data, error, refetch, isPending } = $api.useQuery('get', '/v1/wallet/balance', {})
  return (
    <Page
      title={t('developer.balance')}
      description={t('developer.balance.text')}
      actions={
        <ButtonLink to="/app/wallet" variant="default">
          {t('developer.balance.wallet')}
        </ButtonLink>
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={2} height={120} />}
      {data && (
        <>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Figure label={t('developer.balance.real')} value={money(data.balance, 'USD')}>
              {Number(data.leased) > 0 &&
                t('developer.balance.leased', { amount: money(data.leased, 'USD') })}
            </Figure>
            <Figure label={t('developer.balance.test')} value={money(data.testCredit, 'USD')}>
              {Number(data.testCreditLeased) > 0 &&
                t('developer.balance.leased', { amount: money(data.testCreditLeased, 'USD') })}
            </Figure>
          </SimpleGrid>
          <Move />
        </>
      )}
    </Page>
  )
}

function Move() {
  const me = useMe()
  const { data } = $api.useQuery(
    'get',
    '/wallets/user/{userId}',
    { params: { path: { userId: me?.id ?? '' } } },
    { enabled: Boolean(me) },
  )
  const wallets = (data?.wallets ?? []).filter(({ currency }) => currency === 'USD')
  const [chosen, setChosen] = useState<string | null>(null)
  const [amount, setAmount] = useState<string | number>('')
  const [direction, setDirection] = useState<Direction | null>(null)
  const [moved, setMoved] = useState('')
  const wallet = wallets.find(({ id }) => id === chosen) ?? wallets[0]
  const move = async () => {
    if (!wallet || !direction) return
    const text = String(amount)
    if (direction === 'topUp')
      await api.POST('/v1/wallet/topup', { body: { amount: text, sourceWalletId: wallet.id } })
    else await api.POST('/v1/wallet/withdraw', { body: { amount: text, targetWalletId: wallet.id } })
    setMoved(t(`developer.balance.${direction}Done`, { amount: money(text, 'USD') }))
    setAmount('')
    await refreshReads('/v1/wallet', '/wallets')
  }
  const shown = direction ?? 'topUp'
  return (
    <Panel title={t('developer.balance.move')}>
      <Stack maw={460}>
        {wallets.length > 1 && (
          <Select
            label={t('developer.balance.wallet')}
            data={wallets.map(({ id, available }) => ({ value: id, label: money(available, 'USD') }))}
            value={wallet?.id ?? null}
            onChange={setChosen}
            allowDeselect={false}
          />
        )}
        <AmountField
          label={t('field.amount')}
          description={wallet && t('developer.balance.inWallet', { amount: money(wallet.available, 'USD') })}
          currency="USD"
          value={amount}
          onChange={setAmount}
        />
        <Group>
          <Button disabled={!wallet || Number(amount) <= 0} onClick={() => setDirection('topUp')}>
            {t('developer.balance.topUp')}
          </Button>
          <CardTopUp
            amount={amount}
            onDone={text => {
              setMoved(text)
              setAmount('')
            }}
          />
          <Button
            variant="default"
            disabled={!wallet || Number(amount) <= 0}
            onClick={() => setDirection('withdraw')}
          >
            {t('developer.balance.withdraw')}
          </Button>
        </Group>
        {moved && (
          <Alert color="green" role="status">
            {moved}
          </Alert>
        )}
      </Stack>
      <ConfirmAmount
        title={t(`developer.balance.${shown}Title`)}
        amount={amount || 0}
        currency="USD"
        confirm={t(`developer.balance.${shown}`)}
        opened={direction !== null}
        onClose={() => setDirection(null)}
        onConfirm={move}
      >
        <Text size="sm">{t(`developer.balance.${shown}Text`)}</Text>
      </ConfirmAmount>
    </Panel>
  )
}
