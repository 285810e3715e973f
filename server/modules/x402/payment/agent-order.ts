import { agentById, requireTradable, visibleAgent, type Agent } from '#agents'
import { cryptoWallets, requireWallet, WALLETS, type Wallet } from '#wallets'
import { after } from '#platform/kernel/clock'
import type { Db, Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { PublicContext, RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { moneyNumber, parseAmount } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { isNameOf, networkOf } from '../chain/network.ts'
import { X402 } from '../errors.ts'
import { PAYABLE_MS, timesOf } from './order.ts'
import { acceptsOf, payUrlOf, statusUrlOf } from './requirements.ts'
import * as statements from './sql.ts'
import { requirePayable } from './take.ts'
import type { NewPayment, Payment } from './sql.ts'

/** The purpose of a payment to an agent. */
export const AGENT_PURPOSE = 'AGENT'

export interface Request {
  agentId: string
  amount: number | string
  buyerAddress?: string
  network?: string
  asset?: string
  negotiationId?: string
  paymentIdentifier?: string
}

/** How many payments of an account may wait: a transfer to an agent is compared with all that wait for that agent. */
const MOST_WAITING = 1000

/**
 * Requests a payment to an agent's own address, MANAGED or PROVIDED. Errors: 404 for an unknown agent, 400 for an agent that
 * is not published or has no address, for another network or asset, and 409 for an identifier of another request or of a payment
 * that no longer waits for its payer, or too many payments of the account that wait.
 */
export async function initiateX402(tx: Tx, services: Services, ctx: RequestContext, request: Request) {
  const amount = parseAmount(request.amount)
  const network = requireNetwork(services, request)
  const agent = await visibleAgent(tx, ctx, { id: request.agentId })
  requireTradable(agent)
  const { accountId } = ctx.principal
  await requireFewWaiting(tx, accountId)
  const { paymentIdentifier = null, negotiationId = null, buyerAddress } = request
  const payment = await insertOrRead(tx, {
    id: newId(),
    accountId,
    ...(await sellerOf(tx, agent)),
    amount,
    network: network.id,
    buyerAddress: buyerAddress === undefined ? null : await checkedAddress(buyerAddress),
    paymentIdentifier,
    negotiationId,
    ...timesOf(tx),
  })
  return initiated(services, payment)
}

async function requireFewWaiting(tx: Tx, accountId: string): Promise<void> {
  const { count } = await tx.one(statements.countWaiting(accountId, after(tx.now, -PAYABLE_MS), MOST_WAITING))
  if (count >= MOST_WAITING)
    throw apiError(X402.TOO_MANY_X402_PAYMENTS, {
      hint: `At most ${MOST_WAITING} payments of an account may wait: pay them, or wait until they expire after a day`,
    })
}

function requireNetwork({ config }: Services, request: Pick<Request, 'network' | 'asset'>) {
  const network = networkOf(config)
  if (request.network !== undefined && !isNameOf(network, request.network))
    throw apiError(X402.X402_NETWORK_UNKNOWN, { hint: `This server takes payments on ${network.id}` })
  if (request.asset !== undefined && !isUsdc(network.token, request.asset))
    throw apiError(X402.X402_ASSET_UNKNOWN, { hint: `This server takes USDC (${network.token})` })
  return network
}

const isUsdc = (token: string, asset: string): boolean =>
  asset.toUpperCase() === 'USDC' || asset.toLowerCase() === token.toLowerCase()

const checkedAddress = async (text: string): Promise<`0x${string}`> =>
  (await cryptoWallets.providedAddress(text)) as `0x${string}`

type Seller = Pick<
  NewPayment,
  'purpose' | 'reference' | 'agentId' | 'walletId' | 'holder' | 'depositIndex' | 'payTo' | 'description'
>

/**
 * Where an agent is paid: its own address, and who holds it. ApiErrors 400: `Wallet not configured` without one, and `Invalid
 * wallet address` for one that the service holds for somebody else.
 */
export async function sellerOf(q: Queryable, agent: Agent): Promise<Seller> {
  const wallet = await requireWallet(q, agent.walletId)
  const { x402WalletAddress } = agent
  if (!x402WalletAddress)
    throw apiError(X402.AGENT_WALLET_MISSING, { hint: 'The agent has no address for payments in USDC' })
  const holder = isManaged(wallet, x402WalletAddress) ? 'MANAGED' : 'PROVIDED'
  if (holder === 'PROVIDED') await requireOutside(q, x402WalletAddress)
  return {
    purpose: AGENT_PURPOSE,
    reference: agent.id,
    agentId: agent.id,
    walletId: wallet.id,
    holder,
    depositIndex: null,
    payTo: x402WalletAddress as `0x${string}`,
    description: agent.name,
  }
}

// Earlier versions let an agent name such an address as its own.
async function requireOutside(q: Queryable, address: string): Promise<void> {
  const held = await cryptoWallets.heldAmong(q, [address])
  if (held.has(address))
    throw apiError(WALLETS.ADDRESS_INVALID, {
      hint: 'The agent named an address that this service holds: it must choose an address outside of this service',
    })
}

const isManaged = ({ walletType, cryptoAddress }: Wallet, address: string): boolean =>
  walletType === 'MANAGED' && cryptoAddress === address

async function insertOrRead(tx: Tx, draft: NewPayment): Promise<Payment> {
  const inserted = await tx.maybe(statements.insertPayment(draft))
  if (inserted) return inserted
  const { accountId, paymentIdentifier, agentId, amount, buyerAddress } = draft
  const existing = await tx.one(statements.paymentByIdentifier(accountId ?? '', paymentIdentifier ?? ''))
  const isSame =
    existing.agentId === agentId && existing.amount === amount && existing.buyerAddress === buyerAddress
  if (!isSame)
    throw apiError(X402.X402_IDENTIFIER_USED, {
      hint: 'It belongs to a payment of another agent, amount or buyerAddress: use a new paymentIdentifier',
      details: { transactionId: existing.id },
    })
  requirePayable(existing)
  return existing
}

function initiated(services: Services, payment: Payment) {
  return {
    success: true,
    transactionId: payment.id,
    paymentRequest: {
      to: payment.payTo,
      amount: moneyNumber(payment.amount),
      currency: 'USDC',
      network: payment.network,
      reference: payment.id,
    },
    sellerAddress: payment.payTo,
    accepts: acceptsOf(services, payment),
    expiresAt: payment.expiresAt.toISOString(),
    statusUrl: statusUrlOf(services, payment.id),
    payUrl: payUrlOf(services, payment.id),
  }
}

/**
 * An agent that is paid for a call, with the price in micro-units: its list price, where one dollar is one USDC. Errors: 404
 * for an unknown agent, 400 for one without a price or an address, or that is not published.
 */
export async function requirePricedAgent(
  db: Db,
  ctx: PublicContext,
  agentId: string,
): Promise<{ agent: Agent; seller: Seller; price: bigint }> {
  const agent = await visibleAgent(db, ctx, { id: agentId })
  requireTradable(agent)
  if (agent.price === 0n)
    throw apiError(X402.X402_PRICE_MISSING, { hint: 'Negotiate a price with POST /ap2/negotiate' })
  return { agent, seller: await sellerOf(db, agent), price: agent.price }
}

/** The payment of a call of an agent, inserted once its authorization was checked. */
export const insertCallPayment = (
  tx: Tx,
  services: Services,
  { seller, price }: { seller: Seller; price: bigint },
): Promise<Payment> =>
  tx.one(
    statements.insertPayment({
      id: newId(),
      accountId: null,
      ...seller,
      amount: price,
      network: networkOf(services.config).id,
      buyerAddress: null,
      paymentIdentifier: null,
      negotiationId: null,
      ...timesOf(tx),
    }),
  )

/** 403 if the agent that is to be paid has been suspended since the request, 400 if it is not published any more. */
export async function requireReceiver(q: Queryable, { agentId }: Payment): Promise<void> {
  const agent = agentId === null ? undefined : await agentById(q, agentId)
  if (agent) requireTradable(agent)
}
