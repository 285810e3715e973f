import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertCircle, IconCheck } from '@tabler/icons-react'
import { useEffect, useState, type ReactNode } from 'react'
import { $api } from '../../../api/client.ts'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Details } from '../../../parts/details.tsx'
import { dateTime, money, networkName } from '../../../parts/format.ts'
import { Loading } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { usePayers } from '../pay/payers.ts'
import { PayPicker, quickest, TEST_CARD, type Method } from '../pay/pay-picker.tsx'
import { usePaymentPage } from '../pay/payment-page.ts'
import { otherValues, type Deal, type Side } from '../deal-state.ts'
import { fund } from './commands.ts'

const CARDS = ['testCard', 'card'] as const
const USDC = ['usdc'] as const

interface FundProps {
  deal: Deal
  side: Side
}

/** Pays an accepted deal into escrow. */
export function Fund({ deal, side }: FundProps) {
  const { price, currency, buyerOrganizationId, escrow } = deal
  const { payers, isPending } = usePayers(currency)
  const [method, setMethod] = useState<Method | null>(null)
  const [isAsking, setAsking] = useState(false)
  const without = escrow && (currency === 'USDC' ? USDC : CARDS)
  const payment = { amount: price, currency, organizationId: buyerOrganizationId, without: without ?? [] }
  const first = isPending ? null : quickest(payers, payment)
  useEffect(() => {
    if (!method && first) setMethod(first)
  }, [method, first])
  const pay = async () => {
    if (!method) return
    const { checkout } = await fund({ negotiationId: deal.id, ...paymentOf(method) })
    if (checkout && method.kind !== 'usdc') location.assign(checkout.url)
  }
  return (
    <Stack>
      <PayPicker {...payment} value={method} onChange={setMethod} />
      <Button disabled={!method} onClick={() => setAsking(true)} className="start-button">
        {t('deal.fund', { price: money(price, currency) })}
      </Button>
      <ConfirmAmount
        title={t('deal.fund.title')}
        amount={price}
        currency={currency}
        confirm={t('deal.fund.confirm')}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={pay}
      >
        {t('deal.fund.text', otherValues(deal, side))}
      </ConfirmAmount>
    </Stack>
  )
}

/** The same for a deal whose payment is awaited: it is begun again, in another way. */
export function FundInAnotherWay(props: FundProps) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return <Fund {...props} />
  return (
    <Button variant="default" onClick={() => setOpen(true)} className="start-button">
      {t('deal.anotherWay')}
    </Button>
  )
}

function paymentOf(method: Method) {
  const here = location.href
  if (method.kind === 'wallet') return { sourceWalletId: method.walletId }
  if (method.kind === 'testCard') return { rail: 'card' as const, paymentMethodId: TEST_CARD }
  if (method.kind === 'card') return { rail: 'card' as const, returnUrl: here, cancelUrl: here }
  return { rail: 'x402' as const }
}

/** Leads back to the payment page of a deal while its payment is awaited. */
export function PaymentPage({ deal }: { deal: Deal }) {
  const url = usePaymentPage(deal)
  return (
    url && (
      <Button component="a" href={url} className="start-button">
        {t('deal.paymentPage')}
      </Button>
    )
  )
}

/** A transfer that has arrived, and needs more blocks until the deal goes on. */
const ARRIVED: readonly string[] = ['VERIFIED', 'SETTLING', 'CONFIRMED', 'FINAL']

/** Where to transfer USDC; the deal goes on by itself when it has arrived. Until then there are other ways: the children. */
export function UsdcTransfer({ paymentId, children }: { paymentId: string; children: ReactNode }) {
  const { data, error, isPending } = $api.useQuery(
    'get',
    '/payments/x402/{id}',
    { params: { path: { id: paymentId } } },
    { refetchInterval: 5000 },
  )
  if (isPending) return <Loading rows={2} />
  // A second transfer would wait for an operator.
  if (data && ARRIVED.includes(data.status))
    return (
      <Alert color="teal" icon={<IconCheck />} role="status" title={t('deal.usdc.arrived')}>
        {t('deal.usdc.arrived.text')}
      </Alert>
    )
  return (
    <Stack gap="xs">
      <ProblemNotice error={error} />
      {data && (
        <>
          <Text size="sm">
            {t('deal.usdc.text', {
              amount: money(data.amount, data.currency),
              network: networkName(data.network),
            })}
          </Text>
          {data.status === 'PENDING' && data.failure !== null && (
            <Alert color="yellow" icon={<IconAlertCircle />} role="alert">
              {t('deal.usdc.other', { amount: money(data.amount, data.currency) })}
            </Alert>
          )}
          <Copy value={data.to} label={t('deal.usdc.address')} />
          <Details
            rows={[
              [t('deal.usdc.state'), nameOf(data.status)],
              [t('deal.usdc.until'), dateTime(data.expiresAt)],
            ]}
          />
        </>
      )}
      {children}
    </Stack>
  )
}
