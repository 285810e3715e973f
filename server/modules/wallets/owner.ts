import assert from 'node:assert/strict'
import { IDENTITY, organizations } from '#identity'
import type { Static } from '#platform/http/type'
import { audit } from '#platform/kernel/audit'
import type { Queryable, Snapshot, Tx } from '#platform/kernel/db'
import { COMMON, apiError, invalid } from '#platform/kernel/errors'
import { boundAgent, boundOrganization, type RequestContext } from '#platform/http/principal'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { after, DAY } from '#platform/kernel/clock'
import { isId } from '#platform/kernel/id'
import { textOf } from '#platform/kernel/unknown'
import type { CreateWallet, TotalsQuery } from './schema.ts'
import { WALLETS } from './errors.ts'
import * as statements from './sql.ts'
import type { OwnerType, Wallet } from './sql.ts'
import { ownerMovements, walletTotals } from './statement.ts'
import { walletView, walletViews } from './view.ts'
import { createWallet, mayUse, type Use } from './wallet.ts'

/** The maximum number of wallets of one person, agent or organization. */
const WALLETS_MAX = 100

interface Owner {
  ownerType: OwnerType
  ownerId: string
}

const UNKNOWN = {
  USER: IDENTITY.USER_NOT_FOUND,
  AGENT: IDENTITY.AGENT_NOT_FOUND,
  ORGANIZATION: IDENTITY.ORGANIZATION_NOT_FOUND,
}

/** Creates a wallet for the caller, for an agent of the caller, or for an organization that the caller runs. */
export async function addWallet(tx: Tx, ctx: RequestContext, input: Static<typeof CreateWallet>) {
  const { ownerType = 'USER', ownerId = ctx.principal.accountId, currency, cryptoAddress } = input
  if (ownerType === 'ORGANIZATION') await organizations.requireStaff(tx, ctx, input.ownerId ?? '')
  else if (ownerType === 'AGENT')
    await ownersWallets(tx, ctx, { ownerType, ownerId: input.ownerId ?? '' }, 'spend')
  else if (ownerId !== ctx.principal.accountId)
    throw apiError(COMMON.FORBIDDEN, { hint: 'ownerId must be the id of the caller' })
  const provided = input.walletType
    ? /^(?:provided|own)$/i.test(input.walletType)
    : cryptoAddress !== undefined
  if (!provided && cryptoAddress !== undefined)
    throw invalid(
      'cryptoAddress requires walletType PROVIDED: the service creates the address of a MANAGED wallet',
    )
  await tx.run(statements.lockOwner(ownerType, ownerId))
  const { count } = await tx.one(statements.countWallets(ownerType, ownerId))
  if (count >= WALLETS_MAX)
    throw apiError(WALLETS.TOO_MANY_WALLETS, { hint: `An owner can have at most ${count} wallets` })
  const accountId = ownerType === 'ORGANIZATION' ? ownerId : ctx.principal.accountId
  const wallet = await createWallet(tx, {
    ownerType,
    ownerId,
    accountId,
    currency,
    walletType: provided ? 'PROVIDED' : 'MANAGED',
    cryptoAddress,
  })
  if (ownerType === 'ORGANIZATION')
    await audit(tx, ctx, 'wallet.organization_opened', {
      target: ['wallet', wallet.id],
      details: { organizationId: ownerId, currency: wallet.currency },
    })
  return walletView(tx, wallet)
}

/** The wallets of an owner, the default first. Errors: 404 for an unknown owner, 403 for another account. */
async function ownersWallets(
  q: Queryable,
  ctx: RequestContext,
  { ownerType, ownerId }: Owner,
  use: Use,
): Promise<Wallet[]> {
  const wallets = isId(ownerId) ? await q.rows(statements.walletsOfOwner(ownerType, ownerId)) : []
  const [first] = wallets
  if (!first) throw apiError(UNKNOWN[ownerType])
  if (!(await mayUse(q, ctx, first, use)))
    throw apiError(COMMON.FORBIDDEN, { hint: 'The wallets belong to another account' })
  return wallets
}

/** The default wallet of an owner, with all wallets of that owner. */
export async function walletsOfOwner(q: Queryable, ctx: RequestContext, owner: Owner) {
  return ownerView(q, await ownersWallets(q, ctx, owner, 'read'))
}

/** The movements of all wallets of an agent, newest first. Errors: 404 for an unknown agent, 403 for another account. */
export async function agentMovements(q: Queryable, ctx: RequestContext, agentId: string, page: Page) {
  return ownerMovements(
    q,
    await ownersWallets(q, ctx, { ownerType: 'AGENT', ownerId: agentId }, 'read'),
    page,
  )
}

async function ownerView(q: Queryable, owned: readonly Wallet[]) {
  const wallets = await walletViews(q, owned)
  const [main] = wallets
  assert(main)
  return { ...main, wallets }
}

/** The default wallet and all wallets of an organization, by its slug. */
export async function walletsOfOrganization(q: Queryable, ctx: RequestContext, slug: string) {
  const organization = await organizations.organizationBySlug(q, slug)
  return walletsOfOwner(q, ctx, { ownerType: 'ORGANIZATION', ownerId: organization?.id ?? '' })
}

/** The wallets of the caller and its agents, with the latest movements of its own wallets. */
export async function walletDetail(q: Queryable, ctx: RequestContext, userId: string) {
  const wallets = await ownersWallets(q, ctx, { ownerType: 'USER', ownerId: userId }, 'read')
  const agents = await agentWallets(q, ctx, { limit: 100, offset: 0 })
  const { movements } = await ownerMovements(q, wallets, { limit: 20, offset: 0 })
  return { ...(await ownerView(q, wallets)), agentWallets: agents.items, transactions: movements }
}

/** For admins: the wallets that an account may use, of itself and of its agents. */
export async function walletsOfAccount(q: Queryable, accountId: string, page: Page) {
  // An invalid id is an unknown account, which has no wallets.
  if (!isId(accountId)) return pageAnswer([], 0, page)
  const wallets = await q.rows(statements.walletsUsedBy(accountId, page))
  const { counted } = await q.one(statements.countWalletsUsedBy(accountId, TOTAL_CAP + 1))
  return pageAnswer(await walletViews(q, wallets), counted, page)
}

/** The wallets of the caller's agents, newest first. A bound key sees those of its agent, or none. */
export async function agentWallets(q: Queryable, ctx: RequestContext, page: Page) {
  const { principal } = ctx
  if (boundOrganization(principal) !== null) return pageAnswer([], 0, page)
  const wallets = await walletsOfAgents(q, ctx, page)
  const { counted } = await q.one(
    statements.countAgentWalletsOf(principal.accountId, boundAgent(principal), TOTAL_CAP + 1),
  )
  return pageAnswer(await walletViews(q, wallets), counted, page)
}

/** Those of the agents that the credential acts for: none for a key of an organization, which owns no agents. */
const walletsOfAgents = async (q: Queryable, { principal }: RequestContext, page: Page): Promise<Wallet[]> =>
  boundOrganization(principal) !== null
    ? []
    : q.rows(statements.agentWalletsOf(principal.accountId, boundAgent(principal), page))

const DAYS_OF = { day: 1, week: 7, month: 31 } as const
const MOST_PERIODS = 400
/** Error code of PostgreSQL for a time zone that it does not know. */
const INVALID_PARAMETER = '22023'
const ALL = { limit: TOTAL_CAP, offset: 0 }

/** What moved in the wallets of an owner since a moment. Errors: 400 for an unknown time zone and a `from` too long ago. */
export async function totalsOfOwner(q: Snapshot, ctx: RequestContext, query: Static<typeof TotalsQuery>) {
  const { ownerType = 'USER', unit = 'month', timeZone = 'UTC' } = query
  const { accountId } = ctx.principal
  requireTimeZone(timeZone)
  const from = new Date(query.from)
  if (from < after(q.now, -MOST_PERIODS * DAYS_OF[unit] * DAY))
    throw invalid(`from must be at most ${MOST_PERIODS} periods ago`)
  const { ownerId = ownerType === 'USER' ? accountId : '' } = query
  const wallets =
    ownerType === 'AGENT' && !ownerId
      ? await walletsOfAgents(q, ctx, ALL)
      : await ownersWallets(q, ctx, { ownerType, ownerId }, 'read')
  return walletTotals(q, wallets, { unit, from, timeZone }).catch((error: unknown) => {
    // PostgreSQL lacks some names that Intl has, such as ECT. Its list of names takes too long to read on each request.
    throw textOf(error, 'code') === INVALID_PARAMETER ? unknownTimeZone() : error
  })
}

function requireTimeZone(timeZone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw unknownTimeZone()
  }
}

const unknownTimeZone = () => invalid('timeZone must be an IANA name such as Europe/Berlin')
