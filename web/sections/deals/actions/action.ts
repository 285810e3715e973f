import type { Deal, Side } from '../deal-state.ts'

/** The dialog of one action: it is there while the action is asked for. */
export interface ActionProps {
  deal: Deal
  side: Side
  onClose(): void
}
