import { agentStats } from '#agents'
import { Type, type Static } from '#platform/http/type'
import { Id, Moment, named, Nullable, PageQuery } from '#platform/http/schema'
import { REQUEST_STATES } from './machine.ts'
import type { ListedRequest } from './sql.ts'

const Payload = Type.Unknown({ description: 'Object or text of at most 64 KiB' })
const Status = named(
  'A2ARequestStatus',
  Type.Enum([...REQUEST_STATES], { description: 'Only a PENDING request can be answered' }),
)
const Party = named(
  'A2AParty',
  Type.Object({
    id: Id,
    slug: Type.String({
      pattern: '^[a-z0-9]+(?:[-_][a-z0-9]+)*$',
      maxLength: 80,
      description: 'Unique name of the agent in addresses',
    }),
    name: Type.String({ maxLength: 200, description: 'Display name of the agent' }),
    trustTier: agentStats.TrustTierName,
  }),
)

export const AgentPath = Type.Object({ agentId: Id })
export const CreateRequestBody = named(
  'CreateCollaborationRequest',
  Type.Object({
    requesterAgentId: { ...Id, description: 'Your agent' },
    responderAgentId: { ...Id, description: 'Agent that is asked' },
    payload: Payload,
  }),
)
export const RespondRequestBody = named(
  'RespondCollaborationRequest',
  Type.Object({
    requestId: { ...Id, description: 'Id of the request' },
    status: Type.Enum(['ACCEPTED', 'REJECTED'], { description: 'Answer to the request' }),
    counterPayload: Type.Optional(Payload),
  }),
)
export const RequestQuery = Type.Object({
  role: Type.Optional(
    Type.Enum(['requester', 'responder'], {
      description: 'Only requests that the agent sent, or that it got',
    }),
  ),
  status: Type.Optional({ ...Status, description: 'Only requests in this state' }),
  ...PageQuery,
})

export const CollaborationRequest = named(
  'CollaborationRequest',
  Type.Object({
    id: { ...Id, description: 'Id of the request (UUIDv7)' },
    status: Status,
    requesterAgent: { ...Party, description: 'Agent that asks' },
    responderAgent: { ...Party, description: 'Agent that is asked' },
    payload: Payload,
    counterPayload: { ...Payload, description: 'Answer of the responder: object or text; null without one' },
    expiresAt: Nullable({ ...Moment, description: 'Until when it can be answered; null once it has ended' }),
    respondedAt: Nullable({ ...Moment, description: 'When it was answered; null before' }),
    createdAt: Moment,
    updatedAt: Moment,
  }),
)

export const requestView = (row: ListedRequest): Static<typeof CollaborationRequest> => ({
  id: row.id,
  status: row.status,
  requesterAgent: partyView(row.requester),
  responderAgent: partyView(row.responder),
  payload: row.payload,
  counterPayload: row.counterPayload,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  respondedAt: row.respondedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

const partyView = ({ id, slug, name, trust_tier: trustTier }: ListedRequest['requester']) => ({
  id,
  slug,
  name,
  trustTier,
})
