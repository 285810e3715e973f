import { Type } from '#platform/http/type'
import { Nullable } from '#platform/http/schema'
import { apiError } from '#platform/kernel/errors'
import { segmentOf } from '../call.ts'
import { MCP } from '../errors.ts'
import { escrowPath, readDeal } from './deal.ts'
import { criteria, dealId, EscrowSummary, reason, STRICT } from './shapes.ts'
import { defineTool, READS, WRITES } from './tool.ts'

const milestoneKey = Type.Optional(Type.String({ maxLength: 50 }))
const Delivery = Type.Object({
  id: Type.String(),
  status: Type.String(),
  attempt: Type.Integer(),
  milestoneKey: Nullable(Type.String()),
  result: Type.Unknown(),
  deliverableUrl: Nullable(Type.String()),
  artifacts: Type.Unknown(),
  notes: Nullable(Type.String()),
  report: Type.Unknown(),
})

const deliver = defineTool({
  name: 'deliver_work',
  title: 'Deliver work',
  description:
    'Delivers the work of a paid deal, as its seller: a `result`, a `deliverableUrl`, or both. The service verifies it before the buyer is asked to release the money. While the status is VERIFYING, a checker of the buyer still runs: `get_deal` shows how it ended. If the buyer requested changes (`changeRequest` in `get_deal`), deliver again.',
  annotations: WRITES,
  input: Type.Object(
    {
      dealId,
      result: Type.Optional(Type.Unknown({ description: 'The work itself: text or JSON' })),
      deliverableUrl: Type.Optional(
        Type.String({ maxLength: 2000, description: 'Public address of the work' }),
      ),
      notes: Type.Optional(Type.String({ maxLength: 5000 })),
      milestoneKey,
    },
    STRICT,
  ),
  output: Type.Object({
    delivery: Delivery,
    negotiation: Type.Object({ id: Type.String(), status: Type.String() }),
  }),
  run: ({ call }, { dealId: negotiationId, ...delivery }) =>
    call({ method: 'POST', path: '/ap2/deliver', body: { negotiationId, ...delivery } }),
})

const getDelivery = defineTool({
  name: 'get_delivery',
  title: 'Get a delivery',
  description:
    'Returns what was delivered for a deal and the report of its verification, by default the newest.',
  annotations: READS,
  input: Type.Object(
    { dealId, deliveryId: Type.Optional(Type.String({ maxLength: 200, description: 'From `get_deal`' })) },
    STRICT,
  ),
  output: Delivery,
  run: async ({ call }, { dealId, deliveryId }) => {
    const { escrow } = await readDeal(call, dealId)
    const id = deliveryId ?? escrow?.deliveries.at(-1)?.id
    if (!escrow || id === undefined)
      throw apiError(MCP.INVALID_ARGUMENTS, { hint: 'Nothing was delivered for this deal yet' })
    const path = `/payments/escrow/${escrow.id}/deliveries/${segmentOf(id)}`
    return call({ method: 'GET', path })
  },
})

const requestChanges = defineTool({
  name: 'request_changes',
  title: 'Request changes',
  description:
    'Sends a verified delivery back to the seller, as the buyer, at most 3 times. The money stays held, and the seller has at least 7 more days to deliver again. If you cannot agree use `open_dispute`.',
  annotations: WRITES,
  input: Type.Object(
    { dealId, reason: { ...reason, description: 'What has to change' }, criteria, milestoneKey },
    STRICT,
  ),
  output: EscrowSummary,
  run: async ({ call }, { dealId, ...body }) =>
    call({ method: 'POST', path: escrowPath(await readDeal(call, dealId), 'changes'), body }),
})

export const deliveryTools = [deliver, getDelivery, requestChanges]
