import { $api } from '../../../api/client.ts'
import type { Deal } from '../deal-state.ts'

/** The hosted page on which the person has begun to pay the deal; null where there is none, or it cannot be paid there. */
export function usePaymentPage({ escrow }: Pick<Deal, 'escrow'>): string | null {
  // Of the pending payments: an escrow that awaits USDC has no card payment, and the answer for its id would be 404.
  const { data } = $api.useQuery(
    'get',
    '/payments/card',
    { params: { query: { status: 'PENDING', limit: 100 } } },
    { enabled: escrow?.status === 'PENDING_FUNDING' },
  )
  if (escrow?.status !== 'PENDING_FUNDING') return null
  return data?.items.find(({ reference }) => reference === escrow.id)?.checkoutUrl ?? null
}
