import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import type { Currency } from '../../../api/schema.d.ts'
import { site } from '../../../app/page-data.ts'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { money } from '../../../parts/format.ts'
import { Loading } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { usePayers, type Payer } from './payers.ts'

/** How somebody pays: from a wallet, by card at once (sandbox), on the page of the card processor, or in USDC. */
export type Method = { kind: 'wallet'; walletId: string } | { kind: Kind }
const KINDS = ['testCard', 'card', 'usdc'] as const
type Kind = (typeof KINDS)[number]

export const TEST_CARD = 'pm_card_visa'
const nameOfMethod = (method: Method): string => (method.kind === 'wallet' ? method.walletId : method.kind)

interface Payment {
  amount: number
  currency: Currency
  /** The organization that pays, where that is agreed: from its wallets alone. */
  organizationId?: string
  /** Ways that this payment does not take. */
  without?: readonly Kind[]
}

interface PayPickerProps extends Payment {
  value: Method | null
  onChange(method: Method | null): void
}

/** Who pays and how, with what each wallet holds. */
export function PayPicker({ value, onChange, ...payment }: PayPickerProps) {
  const { amount, currency } = payment
  const { payers, isPending, error } = usePayers(currency)
  if (isPending) return <Loading rows={3} />
  const { usable, others } = waysOf(payers, payment)
  const methods: Method[] = [
    ...usable.map(({ wallet }) => ({ kind: 'wallet' as const, walletId: wallet.id })),
    ...others.map(kind => ({ kind })),
  ]
  const chosen = usable.find(({ wallet }) => value?.kind === 'wallet' && wallet.id === value.walletId)
  return (
    <Stack gap="sm">
      <ProblemNotice error={error} />
      <Radio.Group
        label={t('pay.how')}
        value={value ? nameOfMethod(value) : null}
        onChange={name => onChange(methods.find(each => nameOfMethod(each) === name) ?? null)}
      >
        <Stack gap="xs" mt="xs">
          {usable.map(payer => (
            <WalletOption key={payer.wallet.id} payer={payer} />
          ))}
          {others.map(kind => (
            <Radio key={kind} value={kind} label={t(`pay.${kind}`)} description={t(`pay.${kind}.text`)} />
          ))}
        </Stack>
      </Radio.Group>
      {chosen && <Shortfall payer={chosen} amount={amount} />}
    </Stack>
  )
}

/** The wallets and the other ways that a payment takes. */
const waysOf = (payers: readonly Payer[], { currency, organizationId, without = [] }: Payment) => ({
  usable: payers.filter(({ organization }) => !organizationId || organization?.id === organizationId),
  others: KINDS.filter(kind => !organizationId && !without.includes(kind) && takes(kind, currency)),
})

const takes = (kind: Kind, currency: Currency): boolean => {
  if (kind === 'usdc') return currency === 'USDC'
  return currency === 'USD' && (kind === 'card' || site.sandbox)
}

function WalletOption({ payer: { wallet, organization } }: { payer: Payer }) {
  const name = organization ? t('pay.walletOf', { name: organization.name }) : t('pay.wallet')
  return (
    <Radio
      value={wallet.id}
      label={name}
      description={t('pay.available', { amount: money(wallet.available, wallet.currency) })}
    />
  )
}

/** What a wallet lacks, and in the sandbox a way to add it. */
function Shortfall({ payer: { wallet, organization }, amount }: { payer: Payer; amount: number }) {
  const fund = $api.useMutation('post', '/wallets/{id}/fund', {
    onSuccess: () => refreshReads('/wallets'),
  })
  const [isAsking, setAsking] = useState(false)
  const missing = amount - Number(wallet.available)
  if (missing <= 0) return null
  // Cards take whole cents.
  const cents = Math.ceil(missing * 100) / 100
  const isFundable = site.sandbox && wallet.currency === 'USD' && !organization
  return (
    <Alert
      color="yellow"
      icon={<IconAlertCircle />}
      title={t('pay.short', { amount: money(cents, wallet.currency) })}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t(isFundable ? 'pay.short.sandbox' : 'pay.short.text')}</Text>
        {isFundable && (
          <Group gap="xs">
            <Button size="xs" onClick={() => setAsking(true)}>
              {t('pay.addTestMoney', { amount: money(cents) })}
            </Button>
          </Group>
        )}
        <ConfirmAmount
          title={t('pay.addTestMoney.title')}
          amount={cents}
          confirm={t('pay.addTestMoney.confirm')}
          opened={isAsking}
          onClose={() => setAsking(false)}
          onConfirm={() =>
            fund.mutateAsync({
              params: { path: { id: wallet.id } },
              body: { amount: cents, rail: 'card', paymentMethodId: TEST_CARD },
            })
          }
        >
          {t('pay.addTestMoney.text')}
        </ConfirmAmount>
      </Stack>
    </Alert>
  )
}

/** The way that needs the fewest steps, of those that are offered: a wallet with enough money, else a card or a transfer. */
export function quickest(payers: readonly Payer[], payment: Payment): Method | null {
  const { usable, others } = waysOf(payers, payment)
  const full = usable.find(({ wallet }) => Number(wallet.available) >= payment.amount)
  const [other] = others
  if (!full && other) return { kind: other }
  const payer = full ?? usable[0]
  return payer ? { kind: 'wallet', walletId: payer.wallet.id } : null
}
