import { organizations } from '#identity'
import type { RequestContext } from '#platform/http/principal'
import type { Queryable } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { lastPartyEventId, partyEventsAfter, type PartyEventRow } from '../events/party-sql.ts'
import { EventHub } from './hub.ts'

/** Whose deals a reader sees: those of the account, and of the organizations that it runs. */
interface Parties {
  partyIds: readonly string[]
}

export type AccountHub = EventHub<PartyEventRow, Parties>

/** The parties whose deals the caller may see, as in the list of deals. */
export const partiesOf = async (q: Queryable, ctx: RequestContext): Promise<string[]> => [
  ctx.principal.accountId,
  ...(await organizations.organizationsRunBy(q, ctx)),
]

/** The readers of the events of accounts. */
export const accountHub = (services: Pick<Services, 'db' | 'clock'>): AccountHub =>
  new EventHub(services, {
    name: 'account',
    newest: async () => (await services.db.one(lastPartyEventId())).id,
    eventsAfter: (readers, limit) => services.db.rows(partyEventsAfter(readers, limit)),
    // Roles in organizations change: a reader keeps its account, and sees what the list of deals shows now.
    async requireAccess(reader) {
      reader.partyIds = await partiesOf(services.db, reader.ctx)
    },
  })
