import { adminIds, deletedAmong, organizationsBehind, staffOf } from '#identity'
import { accounts, forgetMemosNaming } from '#ledger'
import type { Tx } from '#platform/db'
import { forgetReplaysAbout } from '#platform/idempotency'
import { cleanRows, type Names, type Texts } from '#platform/names'
import { part, type SqlPart } from '#platform/sql'
import * as texts from './forget-sql.ts'
import type { Party, Sides } from './forget-sql.ts'
import type { NegotiationRow } from './rows.ts'
import * as statements from './sql.ts'

/**
 * Takes the names of an account out of its deals and those of its organizations. What it wrote goes from deals that have
 * ended; in a living one the counterpart still needs it, and it goes with `forgetEnded`. Follows `account.deleted`.
 */
export async function forgetDealsOf(tx: Tx, { accountId, names }: { accountId: string; names: Names }): Promise<void> {
  const party = { accountId, organizationIds: await organizationsBehind(tx, accountId) }
  const deals = await tx.rows(texts.lockDealsOf(party))
  await cleanDeals(tx, party, names)
  await forgetParty(tx, deals, accountId)
  for (const statement of texts.decisionsBy(accountId)) await tx.run(statement)
  const escrowIds = await forgetCopies(tx, deals)
  await forgetMemosNaming(tx, escrowIds.map(id => accounts.escrow(id)), names)
}

/** What an organization wrote goes as that of a person does. Follows `organization.closed`. */
export async function forgetDealsOfOrganization(tx: Tx, { organizationId }: { organizationId: string }): Promise<void> {
  const deals = await tx.rows(texts.lockDealsOf({ accountId: null, organizationIds: [organizationId] }))
  await forgetParty(tx, deals, organizationId)
  await forgetCopies(tx, deals)
}

/** What a side wrote that is gone by then goes with the end of the deal, which is locked. */
export async function forgetEnded(tx: Tx, { id }: NegotiationRow): Promise<void> {
  const deal = await tx.one(texts.sidesOf(id))
  const gone = await deletedAmong(tx, [deal.buyer, deal.seller])
  if (!gone.size) return
  await forgetWords(tx, [deal], gone)
  await forgetCopies(tx, [deal])
}

type Deals = readonly Sides[]

async function forgetParty(tx: Tx, deals: Deals, partyId: string): Promise<void> {
  const gone = await deletedAmong(tx, deals.flatMap(({ buyer, seller }) => [buyer, seller]))
  await forgetWords(tx, deals.filter(deal => deal.ended), gone.add(partyId))
}

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

/** Others' stored answers that tell of the deals. Answers the escrows of these. */
async function forgetCopies(tx: Tx, deals: Deals): Promise<string[]> {
  const dealIds = deals.map(deal => deal.id)
  const escrowIds = (await tx.rows(texts.escrowIdsOf(dealIds))).map(row => row.id)
  const staff = await staffOf(tx, deals.flatMap(deal => deal.organizations))
  const readers = new Set([...deals.flatMap(deal => deal.people), ...[...staff.values()].flatMap(people => [...people]), ...await adminIds(tx)])
  await forgetReplaysAbout(tx, [...readers], [...dealIds, ...escrowIds])
  return escrowIds
}

/**
 * Names in what others wrote, and in work that stays with its buyer; not in the rule of acceptance, whose words are the
 * program's: a living deal is decided by it, and with an ended one it goes. What the account itself asks for in a living deal
 * is left as it is agreed.
 */
async function cleanDeals(tx: Tx, party: Party, names: Names): Promise<void> {
  const deals = texts.dealsOf(party)
  const asked = texts.askedByOthers(party)
  const escrows = part`(select id from ap2_escrow where negotiation_id in ${deals})`
  const askedEscrows = part`(select id from ap2_escrow where negotiation_id in ${asked})`
  const deliveries = part`(select id from ap2_delivery where negotiation_id in ${deals})`
  const clean = (table: string, columns: Pick<Texts, 'text' | 'json' | 'writtenAt'>, where: SqlPart) =>
    cleanRows(tx, names, { table: `ap2_${table}`, ...columns, where })
  await clean('negotiation', { text: ['requested_service', 'notes'], json: ['requirements'] }, part`id in ${asked}`)
  await cleanMilestones(tx, party, names)
  await clean('milestone', { text: ['title'], writtenAt: part`(select created_at from ap2_escrow where id = escrow_id)` }, part`escrow_id in ${askedEscrows}`)
  await clean('escrow', { text: ['purpose', 'memo'], json: ['metadata'] }, part`id in ${askedEscrows}`)
  await clean('round', { text: ['terms', 'notes', 'estimated_delivery'], writtenAt: part`at` }, part`negotiation_id in ${deals}`)
  await clean('dispute', { text: ['reason', 'answer'], json: ['evidence'], writtenAt: part`opened_at` }, part`escrow_id in ${escrows}`)
  await clean('delivery', {
    text: ['deliverable_url', 'notes'], json: ['result', 'artifacts', 'evidence', 'hints', 'report'],
  }, part`id in ${deliveries}`)
  for (const [subject, ids] of [['negotiation', deals], ['escrow', escrows], ['delivery', deliveries]] as const) {
    await clean(`${subject}_history`, { json: ['details'], writtenAt: part`at` }, part`subject_id in ${ids}`)
  }
}

async function cleanMilestones(tx: Tx, party: Party, names: Names): Promise<void> {
  for (const { id, milestones, created_at: at } of await tx.rows(texts.milestonesNaming(party, names.likes))) {
    const cleaned = milestones.map(({ key, title, amount }, place) => (
      { key: names.clean(key, at) === key ? key : texts.keyOf(id, place), title: names.clean(title, at), amount }))
    await tx.run(statements.update<NegotiationRow>('ap2_negotiation', id, { milestones: cleaned }))
    for (const [place, milestone] of cleaned.entries()) await tx.run(texts.renameMilestone(id, place, milestone))
  }
}
