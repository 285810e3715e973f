import { randomUUID } from 'node:crypto'
import { Type } from '#platform/http/type'
import { Currency, Money, Nullable } from '#platform/http/schema'
import { boundAgent } from '#platform/http/principal'
import { apiError } from '#platform/kernel/errors'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import { isRecord } from '#platform/kernel/unknown'
import { Refusal, segmentOf, type Caller } from '../call.ts'
import { MCP } from '../errors.ts'
import { readAgent, type AgentRecord } from './agents.ts'
import { moneyText, readDeal, requireEscrow, sellerOf, type DealRecord } from './deal.ts'
import {
  agentName,
  amount,
  buyerAgentId,
  Deal,
  dealId,
  EscrowSummary,
  idempotencyKey,
  STRICT,
  walletId,
} from './shapes.ts'
import { defineTool, PAYS, READS } from './tool.ts'

const hireAgent = defineTool({
  name: 'hire_agent',
  title: 'Hire an agent',
  description:
    'Hires an agent and pays into escrow at once, from a wallet. An agent with a listed price costs that price, if `budget` allows it; an agent without one costs `budget`. The money is held until you release it with `release_payment`.',
  annotations: PAYS,
  asksUser: true,
  input: Type.Object(
    {
      agent: agentName,
      task: Type.String({ minLength: 1, maxLength: 5000, description: 'What the agent should do' }),
      input: Type.Optional(Type.Object({}, { description: 'Data for the agent; see its `inputSchema`' })),
      budget: Type.Optional(
        amount('The most that you pay; required for an agent without a listed price, and then what you pay'),
      ),
      walletId,
      buyerAgentId,
      idempotencyKey,
    },
    STRICT,
  ),
  output: Deal,
  async run({ call, confirm }, { agent: name, task, input, ...order }) {
    const agent = await readAgent(call, name)
    const message = {
      kind: 'message',
      role: 'user',
      messageId: order.idempotencyKey ?? randomUUID(),
      parts: [{ kind: 'text', text: task }, ...(input ? [{ kind: 'data', data: input }] : [])],
    }
    const { price, refusal } = priceOf(agent, order.budget)
    if (price === undefined) {
      const earlier = order.idempotencyKey && (await earlierHire(call, message, agent.id))
      if (earlier) return readDeal(call, earlier)
      throw apiError(MCP.INVALID_ARGUMENTS, { hint: refusal })
    }
    const cost = moneyText(price, agent.pricing.amount > 0 ? agent.pricing.currency : 'USD')
    await confirm(`Hire ${agent.name} (${agent.slug}) and pay ${cost} into escrow? Task: ${task}`)
    const metadata = {
      agentId: agent.id,
      // What was confirmed: a price that has risen meanwhile is refused.
      budget: price,
      sourceWalletId: order.walletId,
      requesterAgentId: order.buyerAgentId,
    }
    return readDeal(call, await sendMessage(call, { message, metadata }))
  },
})

type Quote = { price: string; refusal?: undefined } | { price?: undefined; refusal: string }

/** What the hire will cost, or why the budget does not allow it. */
function priceOf({ name, pricing }: AgentRecord, budget: number | string | undefined): Quote {
  const limit = budget === undefined ? null : parseAmount(budget, { field: 'budget' })
  if (pricing.amount === 0)
    return limit === null
      ? { refusal: `budget is required: ${name} has no listed price` }
      : { price: formatMoney(limit) }
  const price = parseAmount(pricing.amount)
  if (limit === null || price <= limit) return { price: formatMoney(price) }
  const cost = moneyText(pricing.amount, pricing.currency)
  return {
    refusal: `${name} costs ${cost}, more than the budget: raise it, or offer a price with open_negotiation`,
  }
}

/**
 * The id of the deal that an earlier call with the key began, or null: the price may have changed since. A budget of 0
 * is refused for every new hire, so that nothing is paid.
 */
async function earlierHire(call: Caller, message: object, agentId: string): Promise<string | null> {
  try {
    return await sendMessage(call, { message, metadata: { agentId, budget: '0' } })
  } catch (error) {
    if (error instanceof Refusal && error.envelope.code === 'AMOUNT_INVALID') return null
    throw error
  }
}

/** Hires by the operation of A2A, which opens the deal and pays it in one transaction. Returns the id of the deal. */
async function sendMessage(call: Caller, params: object): Promise<string> {
  const body = { jsonrpc: '2.0', id: 1, method: 'message/send', params }
  const answer = await call({ method: 'POST', path: '/a2a', body })
  const { result, error } = isRecord(answer) ? answer : {}
  if (isRecord(result)) return String(result.id)
  const { message, data } = isRecord(error) ? error : {}
  throw isRecord(data) ? new Refusal(data) : apiError({ ...MCP.INVALID_ARGUMENTS, message: String(message) })
}

const payDeal = defineTool({
  name: 'pay_deal',
  title: 'Pay a deal into escrow',
  description:
    'Pays an accepted negotiation into escrow, as its buyer, at the agreed price. `rail: "card"` returns a checkout page instead of paying from a wallet.',
  annotations: PAYS,
  asksUser: true,
  input: Type.Object(
    {
      dealId,
      walletId,
      rail: Type.Optional(Type.Enum(['wallet', 'card'], { description: 'wallet by default' })),
      idempotencyKey,
    },
    STRICT,
  ),
  output: Type.Object({
    escrowId: Type.String(),
    negotiationId: Type.String(),
    status: Type.String(),
    escrow: EscrowSummary,
    checkout: Type.Optional(Type.Object({ url: Type.String() })),
  }),
  async run({ call, confirm }, { dealId, walletId, rail, idempotencyKey }) {
    const deal = await readDeal(call, dealId)
    const cost = moneyText(deal.price, deal.currency)
    await confirm(`Pay ${cost} to ${sellerOf(deal)} into escrow? Service: ${deal.requestedService}`)
    // The amount that was confirmed: another agreed price is refused.
    const body = { negotiationId: deal.id, amount: deal.price, sourceWalletId: walletId, rail }
    return call({ method: 'POST', path: '/payments/ap2/initiate', body, idempotencyKey })
  },
})

const releasePayment = defineTool({
  name: 'release_payment',
  title: 'Release a payment',
  description:
    'Pays what an escrow holds to the seller, as the buyer: all of it, one milestone, or an `amount`. It cannot be undone. Check the work with `get_delivery` first.',
  annotations: PAYS,
  asksUser: true,
  input: Type.Object(
    {
      dealId,
      amount: Type.Optional(amount('A part; all that is held if left out')),
      milestoneKey: Type.Optional(Type.String({ maxLength: 50 })),
      acceptUnverified: Type.Optional(
        Type.Boolean({ description: 'Release although no delivery was verified' }),
      ),
      idempotencyKey,
    },
    STRICT,
  ),
  output: Type.Object({
    escrowId: Type.String(),
    status: Type.String(),
    escrow: EscrowSummary,
    fee: Money,
    netToSeller: Money,
  }),
  async run({ call, confirm }, { dealId, idempotencyKey, ...release }) {
    const deal = await readDeal(call, dealId)
    const { id: escrowId, held, currency } = requireEscrow(deal)
    const open = heldFor(deal, release.milestoneKey)
    const paid = moneyText(release.amount ?? open, currency)
    // Where nothing is held, nothing can be paid: the operation says what became of it.
    if (parseAmount(open, { zero: true }) > 0n)
      await confirm(`Release ${paid} from escrow to ${sellerOf(deal)}? This cannot be undone.`)
    // With a key the request is the same when it is repeated, although the first one has changed what is held.
    const expected = idempotencyKey === undefined ? { expectedHeld: held } : {}
    const body = { escrowId, ...expected, ...release }
    return call({ method: 'POST', path: '/payments/ap2/release', body, idempotencyKey })
  },
})

/** What is held for a milestone, or for the whole deal. */
function heldFor({ escrow }: DealRecord, milestoneKey: string | undefined): string {
  const milestone = escrow?.milestones.find(({ key }) => key === milestoneKey)
  if (!milestone) return escrow?.held ?? '0'
  return formatMoney(parseAmount(milestone.amount) - parseAmount(milestone.released, { zero: true }))
}

const Wallet = {
  id: Type.String(),
  ownerType: Type.String(),
  currency: Currency,
  balance: Money,
  reserved: Money,
  available: Money,
  withdrawable: Money,
}

const getBalance = defineTool({
  name: 'get_balance',
  title: 'Get a balance',
  description:
    'Returns what a wallet holds: `available` can be spent, `reserved` waits in escrows. Yours by default, or that of an agent or wallet of yours.',
  annotations: READS,
  input: Type.Object(
    {
      agentId: Type.Optional(Type.String({ maxLength: 200 })),
      walletId: Type.Optional(Type.String({ maxLength: 200 })),
    },
    STRICT,
  ),
  output: Type.Object({ ...Wallet, wallets: Type.Optional(Nullable(Type.Array(Type.Object(Wallet)))) }),
  run({ call, ctx }, { agentId = boundAgent(ctx.principal) ?? undefined, walletId }) {
    const path =
      walletId !== undefined
        ? `/wallets/${segmentOf(walletId)}`
        : agentId === undefined
          ? `/wallets/user/${ctx.principal.accountId}`
          : `/wallets/agent/${segmentOf(agentId)}`
    return call({ method: 'GET', path })
  },
})

export const moneyTools = [hireAgent, payDeal, releasePayment, getBalance]
