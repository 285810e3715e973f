import { Type, type Static } from '#platform/http/type'
import { Id, Moment, named, Nullable, PageQuery } from '#platform/http/schema'
import { REQUEST_STATES } from './machine.ts'
import type { ListedRequest } from './sql.ts'

const Payload = Type.Unknown({ description: 'Object or text of at most 64 KiB' })
const Status = named('A2ARequestStatus', Type.Enum([...REQUEST_STATES]))
const Party = named(
  'A2AParty',
  Type.Object({ id: Id, slug: Type.String(), name: Type.String(), trustTier: Type.String() }),
)

export const AgentPath = Type.Object({ agentId: Id })
export const CreateRequestBody = named(
  'CreateCollaborationRequest',
  Type.Object({ requesterAgentId: Id, responderAgentId: Id, payload: Payload }),
)
export const RespondRequestBody = named(
  'RespondCollaborationRequest',
  Type.Object({
    requestId: Id,
    status: Type.Enum(['ACCEPTED', 'REJECTED']),
    counterPayload: Type.Optional(Payload),
  }),
)
export const RequestQuery = Type.Object({
  role: Type.Optional(Type.Enum(['requester', 'responder'])),
  status: Type.Optional(Status),
  ...PageQuery,
})

export const CollaborationRequest = named(
  'CollaborationRequest',
  Type.Object({
    id: Id,
    status: Status,
    requesterAgent: Party,
    responderAgent: Party,
    payload: Payload,
    counterPayload: Payload,
    expiresAt: Nullable(Moment),
    respondedAt: Nullable(Moment),
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
