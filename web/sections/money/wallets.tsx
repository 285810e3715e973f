import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconGift } from '@tabler/icons-react'
import { useState } from 'react'
import { $api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import type { Account, Wallet } from '../../api/schema.d.ts'
import { money } from '../../parts/format.ts'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { AddMoney } from './add-money.tsx'
import { RedeemVoucher } from './redeem-voucher.tsx'
import { TransactionTable } from './transactions.tsx'

/** All wallets of the account: its own and those of its agents, with what happened last. */
export function Wallets() {
  const me = useMe()
  return me ? <WalletsOf me={me} /> : <Loading />
}

function WalletsOf({ me }: { me: Account }) {
  const path = { userId: me.id }
  const { data, error, refetch, isPending } = $api.useQuery('get', '/wallets/user/{userId}/detail', {
    params: { path },
  })
  const [isRedeeming, setRedeeming] = useState(false)
  return (
    <Page
      title={t('money.title')}
      description={t('money.text')}
      actions={
        <>
          <Button variant="default" leftSection={<IconGift size={18} />} onClick={() => setRedeeming(true)}>
            {t('money.redeem')}
          </Button>
          <ButtonLink to="/app/spend" variant="default">
            {t('money.spend')}
          </ButtonLink>
        </>
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={3} height={120} />}
      {data && (
        <>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {data.wallets.map(wallet => (
              <WalletCard key={wallet.id} wallet={wallet} />
            ))}
          </SimpleGrid>
          {data.agentWallets.length > 0 && <AgentWallets wallets={data.agentWallets} />}
          <Title order={2} size="h3">
            {t('money.latest')}
          </Title>
          <TransactionTable transactions={data.transactions} />
        </>
      )}
      <RedeemVoucher opened={isRedeeming} onClose={() => setRedeeming(false)} />
    </Page>
  )
}

function WalletCard({ wallet }: { wallet: Wallet }) {
  const [isAdding, setAdding] = useState(false)
  const { id, available, reserved, currency, testBalance } = wallet
  return (
    <Card withBorder padding="lg">
      <Stack gap="xs">
        <Text c="dimmed" size="sm">
          {t('money.available', { currency })}
        </Text>
        <Text fz={32} fw={700} lh={1.1}>
          {money(available, currency)}
        </Text>
        <Text size="sm">
          {t('money.reserved', { amount: money(reserved, currency) })}
          {Number(testBalance) > 0 && ` · ${t('money.test', { amount: money(testBalance, currency) })}`}
        </Text>
        <Group gap="xs" mt="xs">
          <Button onClick={() => setAdding(true)}>{t('money.add')}</Button>
          <ButtonLink to="/app/wallet/$walletId" params={{ walletId: id }} search={{}} variant="default">
            {t('money.statement')}
          </ButtonLink>
        </Group>
      </Stack>
      <AddMoney wallet={wallet} opened={isAdding} onClose={() => setAdding(false)} />
    </Card>
  )
}

function AgentWallets({ wallets }: { wallets: readonly Wallet[] }) {
  const { data } = $api.useQuery('get', '/agents/my-agents', { params: { query: { limit: 100 } } })
  const nameOfAgent = (id: string) => data?.items.find(agent => agent.id === id)?.name ?? t('money.agent')
  return (
    <Stack gap="xs">
      <Title order={2} size="h3">
        {t('money.agents')}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {wallets.map(({ id, ownerId, available, currency }) => (
          <Card key={id} withBorder padding="md">
            <TextLink to="/app/wallet/$walletId" params={{ walletId: id }} search={{}}>
              {nameOfAgent(ownerId)}
            </TextLink>
            <Text fw={600}>{money(available, currency)}</Text>
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  )
}
