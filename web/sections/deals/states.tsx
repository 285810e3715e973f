import { Status } from '../../parts/status.tsx'
import { hasText, nameOf, t } from '../../texts/text.ts'
import { stateOf, type Deal } from './deal-state.ts'

const nameIn = (prefix: string, state: string): string => {
  const key = `${prefix}.${state}`
  return hasText(key) ? t(key) : nameOf(state)
}

export const dealStateName = (state: string): string => nameIn('deal.state', state)

/** The state of a deal, as its parties would say it. */
export function DealStatus({ deal }: { deal: Deal }) {
  const state = stateOf(deal)
  return <Status value={state} label={dealStateName(state)} />
}

/** The state of a delivery, of a milestone or of a criterion. */
export const DeliveryStatus = ({ value }: { value: string }) => (
  <Status value={value} label={nameIn('delivery.state', value)} />
)
