import { accounts, openAccounts } from '#ledger'
import type { EscrowReleased } from '#ap2'
import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { transition } from '#platform/kernel/machine'
import { share, type Asset, type Leg } from '#platform/kernel/money'
import { commissionMachine } from './commission-machine.ts'
import { planEarning } from './plan.ts'
import * as statements from './sql.ts'

/** How long an admin may decide about suspected fraud; without a decision the commission is not paid. */
const DECISION_DAYS = 90

interface HeldEscrow {
  escrowId: string
  negotiationId: string
  buyerAccountId: string
  sellerAccountId: string
  asset: Asset
  amount: bigint
  feeBps: number
  test: boolean
  selfDeal: boolean
}

/** Subscriber of `escrow.held`: who is expected to earn from the deal, and how much. Nothing is posted. */
export async function expectCommissionOfHeldEscrow(tx: Tx, held: HeldEscrow): Promise<void> {
  const { escrowId, negotiationId, buyerAccountId, sellerAccountId, asset, amount, feeBps } = held
  if (held.test || held.selfDeal) return
  const fee = share(amount, feeBps, 'floor')
  const ids = [newId(), newId()] as const
  tx.write(
    statements.insertExpected({
      ids,
      escrowId,
      negotiationId,
      buyerAccountId,
      sellerAccountId,
      asset,
      fee,
      now: tx.now,
    }),
  )
}

/**
 * Port of ap2: what affiliates earn from a release, as legs of its journal. Only a verified release of real money earns. A
 * commission that looks like self-referral is posted too, and waits for an admin.
 */
export async function commissionLegs(tx: Tx, released: EscrowReleased): Promise<Leg[]> {
  if (released.test || released.selfDeal || !released.verified) return []
  const legs: Leg[] = []
  for (const expected of await tx.rows(statements.lockExpected(released.escrowId))) {
    if (expected.profileStatus !== 'ACTIVE') continue
    const amount = await earn(tx, expected, released)
    if (!amount) continue
    const credit = accounts.affiliateHold(expected.profileId)
    legs.push({ debit: accounts.commission, credit, amount, asset: released.asset })
  }
  const opened = legs.map(({ credit, asset }) => ({ account: credit, asset }))
  if (opened.length) await openAccounts(tx, opened)
  return legs
}

type Expected = statements.Commission & { accountId: string }

/** Turns a part of what is expected into an earning, all of it with the last release; returns its amount. */
async function earn(tx: Tx, expected: Expected, released: EscrowReleased): Promise<bigint> {
  const { earned, ...counted } = planEarning(expected, released.fee)
  if (!earned) {
    if (!released.last) tx.write(statements.setCounted(expected.id, counted, tx.now))
    return 0n
  }
  const parties = [released.buyerAccountId, released.sellerAccountId]
  const { accountId, escrowId } = expected
  const fraud = await tx.maybe(statements.fraudReason(accountId, { parties, escrowId }))
  const fraudReason = fraud?.reason ?? null
  const days = fraudReason === null ? expected.holdDays : DECISION_DAYS
  const set = {
    amount: earned,
    release: released.release,
    fraudReason,
    dueAt: after(tx.now, days * DAY),
  }
  if (released.last) {
    const event = fraudReason === null ? 'earn' : 'suspect'
    await transition(tx, commissionMachine, expected, { event, by: 'deal', set })
    return earned
  }
  tx.write(statements.setCounted(expected.id, counted, tx.now))
  const status = fraudReason === null ? 'PENDING' : 'FRAUD_HOLD'
  tx.write(statements.insertEarned({ ...expected, ...set, id: newId(), status, createdAt: tx.now }))
  return earned
}

/** Subscriber of `escrow.ended`: what no release has earned is not earned any more. */
export async function cancelCommissionOfEndedEscrow(
  tx: Tx,
  { escrowId, test }: { escrowId: string; test: boolean },
): Promise<void> {
  // A deal that became one of its seller with itself, by the claim of the agent, had begun as another.
  if (!test) tx.write(statements.cancelExpected(escrowId, tx.now))
}
