import { adminIds, deletedAmong } from '#identity'
import { accounts, forgetMemosNaming } from '#ledger'
import type { Tx } from '#platform/db'
import { forgetReplaysAbout } from '#platform/idempotency'
import { cleanRows, type Names } from '#platform/names'
import { part, type SqlPart } from '#platform/sql'
import * as texts from './forget-sql.ts'
import type { Parties } from './forget-sql.ts'
import type { NegotiationRow } from './rows.ts'
import * as statements from './sql.ts'

/**
 * Takes the names of an account out of its deals. What it wrote goes from those that have ended; in a living one the
 * counterpart still needs it, and it goes with `forgetEnded`. Follows `account.deleted`.
 */
export async function forgetDealsOf(tx: Tx, { accountId, names }: { accountId: string; names: Names }): Promise<void> {
  const deals = await tx.rows(texts.lockDealsOf(accountId))
  await cleanDeals(tx, accountId, names)
  const gone = (await deletedAmong(tx, deals.flatMap(({ buyer, seller }) => [buyer, seller]))).add(accountId)
  await forgetWords(tx, deals.filter(deal => deal.ended), gone)
  for (const statement of texts.decisionsBy(accountId)) await tx.run(statement)
  await forgetCopies(tx, deals, names)
}

/** What parties wrote who deleted their accounts meanwhile goes with the end of the deal. The deal is locked. */
export async function forgetEnded(tx: Tx, { id, buyer_account_id: buyer, seller_account_id: seller }: NegotiationRow): Promise<void> {
  const gone = await deletedAmong(tx, [buyer, seller])
  if (!gone.size) return
  const deals = [{ id, buyer, seller }]
  await forgetWords(tx, deals, gone)
  await forgetCopies(tx, deals)
}

type Deals = readonly Omit<Parties, 'ended'>[]

/** Delivered work that was paid for is the buyer's: it stays as long as one of the two is there. */
async function forgetWords(tx: Tx, deals: Deals, gone: ReadonlySet<string>): Promise<void> {
  const having = (test: (deal: Deals[number]) => boolean) => deals.filter(test).map(deal => deal.id)
  const bySeller = having(deal => gone.has(deal.seller))
  for (const statement of [
    ...texts.wordsOf(having(deal => gone.has(deal.buyer)), 'buyer'),
    ...texts.wordsOf(bySeller, 'seller'),
    ...texts.workOf(bySeller, { paid: false }),
    ...texts.workOf(having(deal => gone.has(deal.seller) && gone.has(deal.buyer)), { paid: true }),
  ]) await tx.run(statement)
}

/** Memos and stored answers of others that tell of the deals. */
async function forgetCopies(tx: Tx, deals: Deals, names?: Names): Promise<void> {
  const dealIds = deals.map(deal => deal.id)
  const escrowIds = (await tx.rows(texts.escrowIdsOf(dealIds))).map(row => row.id)
  if (names) await forgetMemosNaming(tx, escrowIds.map(id => accounts.escrow(id)), names)
  const readers = new Set([...deals.flatMap(({ buyer, seller }) => [buyer, seller]), ...await adminIds(tx)])
  await forgetReplaysAbout(tx, [...readers], [...dealIds, ...escrowIds])
}

/**
 * Names in what others wrote, and in work that stays with its buyer. What the account itself asks for in a living deal
 * is left as it is agreed.
 */
async function cleanDeals(tx: Tx, accountId: string, names: Names): Promise<void> {
  const deals = texts.dealsWith(accountId)
  const asked = part`(select id from ap2_negotiation where id in ${deals} and buyer_account_id <> ${accountId})`
  const escrows = part`(select id from ap2_escrow where negotiation_id in ${deals})`
  const askedEscrows = part`(select id from ap2_escrow where negotiation_id in ${asked})`
  const deliveries = part`(select id from ap2_delivery where negotiation_id in ${deals})`
  const clean = (table: string, columns: { text?: string[]; json?: string[] }, where: SqlPart) =>
    cleanRows(tx, names, { table: `ap2_${table}`, ...columns, where })
  await clean('negotiation', { text: ['requested_service', 'notes'], json: ['requirements', 'acceptance_schema'] }, part`id in ${asked}`)
  await cleanMilestones(tx, accountId, names)
  await clean('milestone', { text: ['title'] }, part`escrow_id in ${askedEscrows}`)
  await clean('escrow', { text: ['purpose', 'memo'], json: ['metadata'] }, part`id in ${askedEscrows}`)
  await clean('round', { text: ['terms', 'notes', 'estimated_delivery'] }, part`negotiation_id in ${deals}`)
  await clean('dispute', { text: ['reason', 'answer'], json: ['evidence'] }, part`escrow_id in ${escrows}`)
  await clean('delivery', {
    text: ['deliverable_url', 'notes'], json: ['result', 'artifacts', 'evidence', 'hints', 'report'],
  }, part`id in ${deliveries}`)
  for (const [subject, ids] of [['negotiation', deals], ['escrow', escrows], ['delivery', deliveries]] as const) {
    await clean(`${subject}_history`, { json: ['details'] }, part`subject_id in ${ids}`)
  }
}

async function cleanMilestones(tx: Tx, accountId: string, names: Names): Promise<void> {
  for (const { id, milestones } of await tx.rows(texts.milestonesNaming(accountId, names.likes))) {
    const cleaned = milestones.map(({ key, title, amount }, place) => (
      { key: names.clean(key) === key ? key : texts.keyOf(id, place), title: names.clean(title), amount }))
    await tx.run(statements.update<NegotiationRow>('ap2_negotiation', id, { milestones: cleaned }))
    for (const [place, milestone] of cleaned.entries()) await tx.run(texts.renameMilestone(id, place, milestone))
  }
}
