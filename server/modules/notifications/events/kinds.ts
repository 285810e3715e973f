import { EVENT_NAMES, type EventType } from './types.ts'

/** What a person chooses the channels of. */
export const KINDS = ['offers', 'requests', 'runs', 'progress', 'deadlines', 'money'] as const
export type Kind = (typeof KINDS)[number]

const PROGRESS: ReadonlySet<EventType> = new Set([
  'deal.started',
  'deal.delivered',
  'deal.delivery_failed',
  'deal.changes_requested',
])
const OF_NOUNS: Readonly<Record<string, Kind>> = {
  negotiation: 'offers',
  offer: 'offers',
  a2a: 'requests',
  run: 'runs',
}

/** The kind of an event: what is neither work nor an offer is about money. */
export function kindOf(type: EventType): Kind {
  if (type === 'deal.deadline_tomorrow') return 'deadlines'
  if (type === 'run.awaiting_approval') return 'requests'
  if (PROGRESS.has(type)) return 'progress'
  return OF_NOUNS[type.split('.')[0] ?? ''] ?? 'money'
}

export const typesOfKinds = (kinds: readonly Kind[]): EventType[] =>
  EVENT_NAMES.filter(type => kinds.includes(kindOf(type)))
