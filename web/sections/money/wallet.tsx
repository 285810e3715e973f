import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconSnowflake } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../api/client.ts'
import type { Wallet } from '../../api/schema.d.ts'
import { Copy } from '../../parts/copy.tsx'
import { Details } from '../../parts/details.tsx'
import { money, timeZone, networkName } from '../../parts/format.ts'
import { ButtonLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { t } from '../../texts/text.ts'
import { AddMoney } from './add-money.tsx'
import { downloadStatement } from './statement.ts'
import { TransactionTable } from './transactions.tsx'
import { Transfer } from './transfer.tsx'
import { useWalletOwner } from './wallet-owner.ts'

const route = getRouteApi('/public/private/app/wallet/$walletId')

/** One wallet: its balances, its statement, and what can be done with it. */
export function WalletPage() {
  const { walletId: id } = route.useParams()
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/wallet/$walletId' })
  const wallet = $api.useQuery('get', '/wallets/{id}', { params: { path: { id } } })
  const list = $api.useQuery('get', '/wallets/{id}/transactions', {
    params: { path: { id }, query: { limit: PAGE_SIZE, offset } },
  })
  return (
    <Page
      title={t('money.wallet', { currency: wallet.data?.currency ?? '' })}
      description={t('money.zone', { zone: timeZone })}
      actions={wallet.data && <Actions wallet={wallet.data} />}
    >
      <ProblemNotice
        error={wallet.error ?? list.error}
        retry={() => void Promise.all([wallet.refetch(), list.refetch()])}
      />
      {wallet.data?.isFrozen && (
        <Alert color="orange" icon={<IconSnowflake aria-hidden />} title={t('money.frozen')}>
          {t('money.frozen.text')}
        </Alert>
      )}
      {wallet.data && <Balances wallet={wallet.data} />}
      {list.isPending && <Loading />}
      {list.data && <TransactionTable transactions={list.data.items} />}
      {list.data && (
        <Pager
          total={list.data.total}
          isCapped={list.data.totalIsCapped}
          offset={offset}
          onOffset={(next, replace) => void navigate({ search: { offset: next }, replace })}
        />
      )}
    </Page>
  )
}

function Balances({ wallet }: { wallet: Wallet }) {
  const { currency, available, reserved, withdrawable, testBalance, cryptoAddress, cryptoNetwork } = wallet
  const amount = (value: string) => money(value, currency)
  return (
    <Card withBorder>
      <Details
        rows={[
          [
            t('money.detail.available'),
            <Text key="available" fw={600} span>
              {amount(available)}
            </Text>,
          ],
          [t('money.detail.reserved'), amount(reserved)],
          [t('money.detail.withdrawable'), amount(withdrawable)],
          [t('money.detail.test'), amount(testBalance)],
          [t('money.detail.id'), <Copy key="id" value={wallet.id} label={t('money.detail.id')} />],
          ...(cryptoAddress
            ? [
                [
                  t('money.detail.address', { network: networkName(cryptoNetwork ?? '') }),
                  <Copy
                    key="address"
                    value={cryptoAddress}
                    label={t('money.detail.address', { network: '' })}
                  />,
                ] as const,
              ]
            : []),
        ]}
      />
    </Card>
  )
}

function Actions({ wallet }: { wallet: Wallet }) {
  const { maySpend } = useWalletOwner(wallet)
  const [opened, setOpened] = useState<'add' | 'transfer' | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    setError(null)
    await downloadStatement(wallet).catch(setError)
    setBusy(false)
  }
  const close = () => setOpened(null)
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {maySpend && (
          <>
            <Button onClick={() => setOpened('add')}>{t('money.add')}</Button>
            <Button variant="default" onClick={() => setOpened('transfer')}>
              {t('money.transfer')}
            </Button>
          </>
        )}
        {wallet.ownerType === 'ORGANIZATION' && (
          <ButtonLink to="/app/vouchers" search={{ wallet: wallet.id }} variant="default">
            {t('money.vouchers')}
          </ButtonLink>
        )}
        <Button
          variant="default"
          leftSection={<IconDownload size={18} />}
          loading={isBusy}
          onClick={() => void download()}
        >
          {t('money.csv')}
        </Button>
      </Group>
      <ProblemNotice error={error} />
      <AddMoney wallet={wallet} opened={opened === 'add'} onClose={close} />
      <Transfer wallet={wallet} opened={opened === 'transfer'} onClose={close} />
    </Stack>
  )
}
