import { Type } from '#platform/http/type'
import { Id, Moment, named } from '#platform/http/schema'
import { EVENT_NAMES } from './types.ts'
import type { PartyEventRow } from './party-sql.ts'
import type { EventRow } from './sql.ts'

export const EventTypeName = named(
  'AgentEventType',
  Type.Enum([...EVENT_NAMES], { description: 'What happened' }),
)

export const AgentEvent = named(
  'AgentEvent',
  Type.Object({
    id: Type.String({
      maxLength: 200,
      description: 'The same in the stream and in each attempt of a webhook',
    }),
    type: EventTypeName,
    timestamp: { ...Moment, description: 'When it happened' },
    agentId: { ...Id, description: 'Agent that it is about' },
    sequence: Type.Integer({ description: 'From 1, in order for each deal', minimum: 1 }),
    data: Type.Object({}, { additionalProperties: true, description: 'Ids, states and amounts of the deal' }),
  }),
)

export const eventId = (id: bigint): string => `evt_${id}`

export const eventView = ({ id, type, createdAt, agentId, sequence, data }: EventRow) => ({
  id: eventId(id),
  type,
  timestamp: createdAt.toISOString(),
  agentId,
  sequence,
  data,
})

export const partyEventView = ({ type, createdAt, data }: PartyEventRow) => ({
  type,
  timestamp: createdAt.toISOString(),
  data,
})
