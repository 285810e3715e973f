import type { Begun } from '#platform/kernel/idempotency'
import type { Tx } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import type { Services } from '#platform/kernel/services'
import { readFunded } from '../deal/deal.ts'
import type { Rules } from '../deal/tier.ts'
import { initiate, type InitiateInput } from '../escrow/initiate.ts'
import { fundingView, initiatedView } from '../views/responses.ts'
import { railOf, type PaymentMethod, type StartedFunding } from './rails.ts'
import { reserve, reservedByRequest } from './reserve.ts'

type Input = InitiateInput & Omit<PaymentMethod, 'accountId'>
type Answer = Awaited<ReturnType<typeof fundingView>>

interface Request {
  services: Services
  rules: Rules
  requestId: string
}

/** Pays into escrow: from a wallet at once, by another rail in two phases with an outside call between them. */
export async function fundEscrow(
  tx: Tx,
  ctx: RequestContext,
  input: Input,
  { services, rules, requestId }: Request,
): Promise<Begun<Answer>> {
  const { rail = 'wallet', negotiationId } = input
  if (rail === 'wallet') return { result: initiatedView(ctx, await initiate(tx, ctx, input, rules)) }
  if (negotiationId === undefined)
    throw invalid(`negotiationId is required for rail ${rail}: from wallet to wallet only a wallet pays`)
  const method = { ...input, accountId: ctx.principal.accountId }
  const escrowId =
    (await reservedByRequest(tx, requestId)) ??
    (await reserve(tx, ctx, { ...input, negotiationId }, { rules, method, rail, requestId }))
  return {
    isFinal: ({ status, checkout }) => status !== 'PENDING_FUNDING' || checkout !== undefined,
    async proceed() {
      const started = await startFunding(services, escrowId, method)
      return services.db.snapshot(q => fundingView(q, ctx, escrowId, started))
    },
  }
}

/** Starts the payment of a reserved escrow, or continues it; nothing for an escrow that takes no funds any more. */
export async function startFunding(
  services: Services,
  escrowId: string,
  method: PaymentMethod,
): Promise<StartedFunding> {
  const deal = await readFunded(services.db, escrowId)
  const { status, rail } = deal.escrow
  return status === 'CANCELLED' || rail === 'wallet' ? {} : railOf(rail).start(services, deal, method)
}
