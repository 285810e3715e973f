import type { Static } from 'typebox'
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
import { createWallet, mayUse } from './wallet.ts'

/** One more wallet for the caller, or for an agent of the caller's. */
export async function addWallet(tx: Tx, actor: Actor, input: Static<typeof CreateWallet>) {
  const { ownerType = 'USER', ownerId = actor.accountId, currency, cryptoAddress } = input
  if (ownerType === 'ORGANIZATION') throw invalid('wallets of organizations are not available on this server')
  if (ownerType === 'AGENT') await ownersWallets(tx, actor, 'AGENT', input.ownerId ?? '')
  else if (ownerId !== actor.accountId) throw fault(COMMON.FORBIDDEN, { hint: 'ownerId is not the caller' })
  const provided = input.walletType ? /^(?:provided|own)$/i.test(input.walletType) : cryptoAddress !== undefined
  if (!provided && cryptoAddress !== undefined) throw invalid('cryptoAddress goes with walletType PROVIDED: the service makes that of a MANAGED wallet')
  const wallet = await createWallet(tx, { ownerType, ownerId, accountId: actor.accountId, currency, walletType: provided ? 'PROVIDED' : 'MANAGED', cryptoAddress })
  return walletView(tx, wallet)
}

/** An owner's wallets, the default first: 404 when there is no such owner, 403 when they are another's. */
async function ownersWallets(q: Queryable, actor: Actor, ownerType: OwnerType, ownerId: string): Promise<Wallet[]> {
  const wallets = isId(ownerId) ? await q.rows(statements.walletsOfOwner(ownerType, ownerId)) : []
  const [first] = wallets
  if (!first) throw fault(ownerType === 'AGENT' ? WALLETS.AGENT_NOT_FOUND : WALLETS.USER_NOT_FOUND)
  if (!mayUse(actor, first)) throw fault(COMMON.FORBIDDEN, { hint: 'these wallets are not yours' })
  return wallets
}

/** The default wallet bare, and all of its owner's. */
export async function walletsOfOwner(q: Queryable, actor: Actor, owner: { ownerType: OwnerType; ownerId: string }) {
  const wallets = await walletViews(q, await ownersWallets(q, actor, owner.ownerType, owner.ownerId))
  return { ...wallets[0], wallets }
}

/** The same with the wallets of the caller's agents and the latest movements of the default wallet. */
export async function walletDetail(q: Queryable, actor: Actor, userId: string) {
  const wallets = await ownersWallets(q, actor, 'USER', userId)
  const [main] = wallets
  const agents = await agentWallets(q, actor, { limit: 100, offset: 0 })
  const { items } = main ? await statementOf(q, main, { limit: 20, offset: 0 }) : { items: [] }
  const views = await walletViews(q, wallets)
  return { ...views[0], wallets: views, agentWallets: agents.items, transactions: items }
}

/** Wallets of the agents that the caller controls, newest first. */
export async function agentWallets(q: Queryable, actor: Actor, page: Page) {
  const wallets = await q.rows(statements.agentWalletsOf(actor.accountId, page.limit, page.offset))
  const { counted } = await q.one(statements.countAgentWalletsOf(actor.accountId, TOTAL_CAP + 1))
  return pageAnswer(await walletViews(q, wallets), counted, page)
}
