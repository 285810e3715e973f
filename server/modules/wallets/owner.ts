import { demandStaff, organizationBySlug } from '#identity'
import type { Static } from 'typebox'
import { audit } from '#platform/audit'
import type { Queryable, Tx } from '#platform/db'
import { COMMON, fault, invalid } from '#platform/fault'
import type { Actor } from '#platform/http/actor'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { isId } from '#platform/id'
import type { CreateWallet } from './schema.ts'
import { WALLETS } from './faults.ts'
import * as statements from './sql.ts'
import type { OwnerType, Wallet } from './sql.ts'
import { statementOf } from './statement.ts'
import { walletView, walletViews } from './view.ts'
import { createWallet, mayUse, type Use } from './wallet.ts'

/** How many wallets one person, agent or organization has. */
const WALLETS_MAX = 100

interface Owner { ownerType: OwnerType; ownerId: string }

const UNKNOWN = { USER: WALLETS.USER_NOT_FOUND, AGENT: WALLETS.AGENT_NOT_FOUND, ORGANIZATION: WALLETS.ORGANIZATION_NOT_FOUND }

/** One more wallet for the caller, for an agent of the caller's, or for an organization that the caller runs. */
export async function addWallet(tx: Tx, actor: Actor, input: Static<typeof CreateWallet>) {
  const { ownerType = 'USER', ownerId = actor.accountId, currency, cryptoAddress } = input
  if (ownerType === 'ORGANIZATION') await demandStaff(tx, actor, input.ownerId ?? '')
  else if (ownerType === 'AGENT') await ownersWallets(tx, actor, { ownerType, ownerId: input.ownerId ?? '' }, 'spend')
  else if (ownerId !== actor.accountId) throw fault(COMMON.FORBIDDEN, { hint: 'ownerId must be the id of the caller' })
  const provided = input.walletType ? /^(?:provided|own)$/i.test(input.walletType) : cryptoAddress !== undefined
  if (!provided && cryptoAddress !== undefined) throw invalid('cryptoAddress goes with walletType PROVIDED: the service makes that of a MANAGED wallet')
  await tx.run(statements.lockOwner(ownerType, ownerId))
  const { count } = await tx.one(statements.countWallets(ownerType, ownerId))
  if (count >= WALLETS_MAX) throw fault(WALLETS.TOO_MANY_WALLETS, { hint: `there are ${count}, the most for one owner` })
  const accountId = ownerType === 'ORGANIZATION' ? ownerId : actor.accountId
  const wallet = await createWallet(tx, { ownerType, ownerId, accountId, currency, walletType: provided ? 'PROVIDED' : 'MANAGED', cryptoAddress })
  if (ownerType === 'ORGANIZATION') await audit(tx, {
    action: 'wallet.organization_opened', actorId: actor.accountId, actorKind: actor.kind, target: 'wallet', targetId: wallet.id,
    details: { organizationId: ownerId, currency: wallet.currency },
  })
  return walletView(tx, wallet)
}

/** An owner's wallets, the default first: 404 when there is no such owner, 403 when they are another's. */
async function ownersWallets(q: Queryable, actor: Actor, { ownerType, ownerId }: Owner, use: Use): Promise<Wallet[]> {
  const wallets = isId(ownerId) ? await q.rows(statements.walletsOfOwner(ownerType, ownerId)) : []
  const [first] = wallets
  if (!first) throw fault(UNKNOWN[ownerType])
  if (!await mayUse(q, actor, first, use)) throw fault(COMMON.FORBIDDEN, { hint: 'The wallets belong to another account' })
  return wallets
}

/** The default wallet bare, and all of its owner's. */
export async function walletsOfOwner(q: Queryable, actor: Actor, owner: Owner) {
  const wallets = await walletViews(q, await ownersWallets(q, actor, owner, 'read'))
  return { ...wallets[0], wallets }
}

/** The same of an organization by its slug. */
export async function walletsOfOrganization(q: Queryable, actor: Actor, slug: string) {
  const organization = await organizationBySlug(q, slug)
  return walletsOfOwner(q, actor, { ownerType: 'ORGANIZATION', ownerId: organization?.id ?? '' })
}

/** The same with the wallets of the caller's agents and the latest movements of the default wallet. */
export async function walletDetail(q: Queryable, actor: Actor, userId: string) {
  const wallets = await ownersWallets(q, actor, { ownerType: 'USER', ownerId: userId }, 'read')
  const [main] = wallets
  const agents = await agentWallets(q, actor, { limit: 100, offset: 0 })
  const { items } = main ? await statementOf(q, main, { limit: 20, offset: 0 }) : { items: [] }
  const views = await walletViews(q, wallets)
  return { ...views[0], wallets: views, agentWallets: agents.items, transactions: items }
}

/** Wallets of the agents that the caller controls, newest first; a bound key reaches those of its agent, or none. */
export async function agentWallets(q: Queryable, { accountId, agentId, organizationId }: Actor, page: Page) {
  if (organizationId !== null) return pageAnswer([], 0, page)
  const wallets = await q.rows(statements.agentWalletsOf(accountId, agentId, page))
  const { counted } = await q.one(statements.countAgentWalletsOf(accountId, agentId, TOTAL_CAP + 1))
  return pageAnswer(await walletViews(q, wallets), counted, page)
}
