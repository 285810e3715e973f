import { erasure } from '#identity'
import type { Tx } from '#platform/kernel/db'
import type { Statement } from '#platform/kernel/sql'
import type { NegotiationRow, Side } from '../deal/rows.ts'
import * as statements from './sql.ts'

/** A deal that has ended, with the parties whose account is deleted or whose organization is closed. */
interface EndedDeal {
  id: string
  deleted: ReadonlySet<Side>
}

/**
 * Erases what accounts and organizations that are being deleted wrote in their ended deals. In a live deal the
 * counterparty still needs the text: it is erased when the deal ends. Locks all deals of these parties, so that a
 * deal that ends at the same time either is seen here or sees the deletion.
 */
export async function eraseDealTextOf(tx: Tx, partyIds: readonly string[]): Promise<void> {
  const ended = (await tx.rows(statements.lockDealsOf(partyIds))).filter(deal => deal.ended)
  const deleted = await erasure.deletedAmong(
    tx,
    ended.flatMap(({ buyer, seller }) => [buyer, seller]),
  )
  for (const id of partyIds) deleted.add(id)
  const deals = ended.map(({ id, ...parties }) => ({ id, deleted: sidesAmong(parties, deleted) }))
  for (const statement of textErasures(deals)) await tx.run(statement)
}

/** Erases the reasons that an operator gave when deciding deals of other accounts; the decisions stay. */
export async function eraseReasonsOf(tx: Tx, operatorId: string): Promise<void> {
  for (const statement of statements.eraseReasonsOf(operatorId)) await tx.run(statement)
}

/** The parties of a locked deal that were deleted. A deletion that is under way waits for the lock. */
export async function deletedSides(tx: Tx, negotiation: NegotiationRow): Promise<ReadonlySet<Side>> {
  const buyer = negotiation.buyerOrganizationId ?? negotiation.buyerAccountId
  const seller = negotiation.sellerOrganizationId ?? negotiation.sellerAccountId
  return sidesAmong({ buyer, seller }, await erasure.deletedAmong(tx, [buyer, seller]))
}

const SIDES: readonly Side[] = ['buyer', 'seller']
const sidesAmong = (parties: Record<Side, string>, deleted: ReadonlySet<string>): ReadonlySet<Side> =>
  new Set(SIDES.filter(side => deleted.has(parties[side])))

/**
 * The statements that erase what deleted parties wrote in ended deals; none for deals whose parties exist. Delivered
 * work that was paid for belongs to the buyer and stays until both parties are deleted.
 */
export function textErasures(deals: readonly EndedDeal[]): Statement<unknown>[] {
  const idsWith = (...sides: Side[]) =>
    deals.filter(({ deleted }) => sides.every(side => deleted.has(side))).map(({ id }) => id)
  const [ofBuyer, ofSeller, ofBoth] = [idsWith('buyer'), idsWith('seller'), idsWith('buyer', 'seller')]
  return [
    ...(ofBuyer.length ? statements.eraseTextOf(ofBuyer, 'buyer') : []),
    ...(ofSeller.length ? statements.eraseTextOf(ofSeller, 'seller') : []),
    ...(ofSeller.length ? statements.eraseWork(ofSeller, { paid: false }) : []),
    ...(ofBoth.length ? statements.eraseWork(ofBoth, { paid: true }) : []),
  ]
}
