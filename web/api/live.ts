import { useEffect } from 'react'
import { refreshReads } from './client.ts'
import { openEvents } from './events.ts'
import { maySignedIn } from './session.ts'

/** Types of the events of deals, as the stream names them. */
const DEAL_EVENTS = [
  'negotiation.created',
  'negotiation.countered',
  'negotiation.accepted',
  'negotiation.rejected',
  'negotiation.canceled',
  'negotiation.expired',
  'deal.funded',
  'deal.funding_failed',
  'deal.started',
  'deal.delivered',
  'deal.delivery_failed',
  'deal.changes_requested',
  'deal.released',
  'deal.refunded',
  'deal.split',
  'deal.frozen',
  'deal.unfrozen',
  'deal.charged_back',
  'dispute.opened',
  'dispute.answered',
  'dispute.withdrawn',
  'dispute.escalated',
  'dispute.resolved',
] as const

/** Keeps the deals of the page up to date: each event of the account reads them again. */
export function useLiveDeals(): void {
  useEffect(() => {
    if (!maySignedIn()) return
    const refresh = () =>
      void refreshReads('/ap2/negotiations', '/payments/escrow', '/wallets', '/users/me/inbox')
    // After a break, events of the meantime may be missing.
    let isFirst = true
    return openEvents('/users/me/events', {
      types: DEAL_EVENTS,
      onEvent: refresh,
      onOpen() {
        if (!isFirst) refresh()
        isFirst = false
      },
    })
  }, [])
}
