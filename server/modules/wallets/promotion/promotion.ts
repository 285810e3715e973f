import { approvals, requireStepUp } from '#identity'
import { accounts, post } from '#ledger'
import type { RequestContext } from '#platform/http/principal'
import { audit, type Author } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { Wallet } from '../sql.ts'
import { walletChangedBy } from '../statement.ts'
import { isWithinAdminLimit } from '../transfer.ts'
import { walletView } from '../view.ts'
import { creditAccount, lockToCredit } from '../wallet.ts'

const ASSET = 'USD'
const PROMOTION = 'wallet.promotion'

interface Grant {
  walletId: string
  amount: number | string
  reason: string
}

/**
 * Grants real money of the operator to a wallet; 403 without a fresh proof. It counts to the same `limit` (micro-units) a
 * day for each admin as transfers: beyond it nothing moves, and the grant waits for another admin. Errors: 404 for an unknown
 * wallet or a deleted owner, 400 for a wallet in another currency than USD.
 */
export async function grantPromotion(tx: Tx, ctx: RequestContext, input: Grant, limit: bigint) {
  await requireStepUp(tx, ctx, tx.clock.real())
  const { accountId } = ctx.principal
  const { walletId, reason } = input
  const amount = parseAmount(input.amount)
  const wallet = await lockToCredit(tx, walletId, ASSET)
  if (await isWithinAdminLimit(tx, { accountId, amount, limit })) {
    const journalId = await grant(tx, ctx, wallet, { amount, reason, author: accountId, key: newId() })
    return walletChangedBy(tx, wallet, journalId)
  }
  const payload = { walletId, amount: formatMoney(amount), currency: ASSET, reason }
  const approval = await approvals.requestApproval(tx, ctx, { kind: PROMOTION, payload })
  return { wallet: await walletView(tx, wallet), transaction: null, approval }
}

/** Executes a grant that another admin approved. */
export async function grantApprovedPromotion(
  tx: Tx,
  { approvalId, payload, requestedBy, approvedBy }: approvals.ApprovedRequest,
): Promise<Record<string, string>> {
  const { walletId = '', amount = '', reason = '' } = payload
  const wallet = await lockToCredit(tx, walletId, ASSET)
  const order = { amount: parseAmount(amount), reason, author: requestedBy, key: approvalId }
  const details = { approvalId, requestedBy }
  return { journalId: await grant(tx, { by: ['admin', approvedBy] }, wallet, { ...order, details }) }
}

interface Order {
  amount: bigint
  reason: string
  /** Wrote the reason. */
  author: string
  key: string
  details?: Record<string, string>
}

async function grant(
  tx: Tx,
  by: Author,
  wallet: Wallet,
  { amount, reason, author, key, details }: Order,
): Promise<string> {
  const { id: journalId } = await post(tx, {
    kind: 'promotion',
    key: `promotion/${key}`,
    memo: reason,
    author,
    reference: { walletId: wallet.id },
    legs: [{ debit: accounts.promotion, credit: creditAccount(wallet, false), amount, asset: ASSET }],
  })
  await audit(tx, by, 'wallet.promotion', {
    target: ['wallet', wallet.id],
    details: { amount: formatMoney(amount), reason, journalId, ...details },
    about: [author, wallet.accountId],
  })
  return journalId
}
