import { requireAgent } from '#agents'
import type { Services } from '#platform/kernel/services'
import { eventsAfter, lastEventId, type EventRow } from '../events/sql.ts'
import { EventHub } from './hub.ts'

export type AgentHub = EventHub<EventRow>

/** The readers of the events of agents. */
export const agentHub = (services: Pick<Services, 'db' | 'clock'>): AgentHub =>
  new EventHub(services, {
    name: 'agent',
    newest: async () => (await services.db.one(lastEventId())).id,
    eventsAfter: (readers, limit) =>
      services.db.rows(
        eventsAfter(
          readers.map(({ subjectId, after }) => ({ agentId: subjectId, after })),
          limit,
        ),
      ),
    async requireAccess({ ctx, subjectId }) {
      await requireAgent(services.db, ctx, subjectId)
    },
  })
