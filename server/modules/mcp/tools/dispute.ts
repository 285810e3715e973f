import { Type } from '#platform/http/type'
import { escrowPath, readDeal } from './deal.ts'
import { criteria, dealId, EscrowSummary, reason, STRICT } from './shapes.ts'
import { defineTool, WRITES } from './tool.ts'

const open = defineTool({
  name: 'open_dispute',
  title: 'Open a dispute',
  description:
    'Objects to a paid deal, as its buyer or its seller: the money stays held and the deadlines stop. The other party has 5 days to answer, then an operator decides. A seller who does not answer refunds the money; a buyer who does not answer pays for verified deliveries. To ask for another version of the work use `request_changes`.',
  annotations: WRITES,
  input: Type.Object(
    {
      dealId,
      reason: { ...reason, description: 'What is wrong' },
      asks: Type.Optional(
        Type.Enum(['RELEASE', 'REFUND', 'SPLIT'], {
          description: 'What you ask for: pay the seller, pay the buyer, or both',
        }),
      ),
      sellerBps: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 9999,
          description: 'With SPLIT: share of the seller in basis points',
        }),
      ),
      evidence: Type.Optional(Type.Unknown({ description: 'Any JSON, for the operator' })),
      criteria,
      as: Type.Optional(
        Type.Enum(['buyer', 'seller'], { description: 'Your party, if both agents are yours' }),
      ),
    },
    STRICT,
  ),
  output: EscrowSummary,
  run: async ({ call }, { dealId, ...body }) =>
    call({ method: 'POST', path: escrowPath(await readDeal(call, dealId), 'dispute'), body }),
})

const respond = defineTool({
  name: 'respond_to_dispute',
  title: 'Respond to a dispute',
  description:
    'States your view of a dispute that the other party opened. An operator then decides. `get_deal` shows the dispute and until when you can respond.',
  annotations: WRITES,
  input: Type.Object({ dealId, statement: { ...reason, description: 'Your view of the dispute' } }, STRICT),
  output: EscrowSummary,
  run: async ({ call }, { dealId, ...body }) =>
    call({ method: 'POST', path: escrowPath(await readDeal(call, dealId), 'dispute/respond'), body }),
})

const withdraw = defineTool({
  name: 'withdraw_dispute',
  title: 'Withdraw a dispute',
  description:
    'Ends a dispute that you opened, at most once for each party and deal. The deal goes on, with the time that its deadlines had left.',
  annotations: WRITES,
  input: Type.Object({ dealId }, STRICT),
  output: EscrowSummary,
  run: async ({ call }, { dealId }) =>
    call({ method: 'POST', path: escrowPath(await readDeal(call, dealId), 'dispute/withdraw'), body: {} }),
})

export const disputeTools = [open, respond, withdraw]
