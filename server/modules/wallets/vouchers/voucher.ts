import type { Static } from '#platform/http/type'
import * as budgets from '#budgets'
import { accounts, lockBalances, openAccounts, post } from '#ledger'
import { audit } from '#platform/kernel/audit'
import { after, DAY } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import { isId, newId } from '#platform/kernel/id'
import { transition, type Transition } from '#platform/kernel/machine'
import { formatMoney, parseAmount, type Leg } from '#platform/kernel/money'
import { sql } from '#platform/kernel/sql'
import type { RequestContext } from '#platform/http/principal'
import { pageAnswer, pageOf, TOTAL_CAP } from '#platform/http/schema'
import { sweepIfDeleted } from '../close.ts'
import { WALLETS } from '../errors.ts'
import { returnRecovery } from '../ports.ts'
import { requireDayQuota } from '../transfer.ts'
import { requireOwnWallet, requireWallet, subAccounts } from '../wallet.ts'
import type { VoucherCode } from './code.ts'
import type { CreateVoucher, VoucherQuery } from './schema.ts'
import * as statements from './sql.ts'
import type { Voucher } from './sql.ts'
import { voucherMachine, type VoucherEvent, type VoucherTrigger } from './voucher-machine.ts'

const LIFE_DAYS = { default: 365, max: 5 * 365 }

/**
 * Moves real money from a wallet of the caller into a new voucher. It counts towards the day's transfers to other accounts:
 * beyond `limit` (micro-units) it requires a step-up (403). Test credit does not count as balance (400).
 */
export async function createVoucher(
  tx: Tx,
  ctx: RequestContext,
  input: Static<typeof CreateVoucher> & { code: VoucherCode },
  limit: bigint,
) {
  const wallet = await requireOwnWallet(tx, ctx, input.walletId)
  const amount = parseAmount(input.amount)
  await requireDayQuota(tx, ctx, amount, limit)
  await lockBalances(tx, subAccounts(wallet), wallet.currency)
  const { text, hash, prefix } = input.code
  const voucher = await tx.one(
    statements.insertVoucher({
      id: newId(),
      walletId: wallet.id,
      accountId: ctx.principal.accountId,
      amount,
      currency: wallet.currency,
      codeHash: hash,
      codePrefix: prefix,
      note: input.note ?? null,
      expiresAt: expiryOf(tx, input.expiresAt),
      createdAt: tx.now,
    }),
  )
  await budgets.chargeBudget(tx, ctx, wallet, { reference: voucher.id, amount })
  const account = accounts.voucher(voucher.id)
  await openAccounts(tx, [{ account, asset: wallet.currency }])
  await post(tx, {
    kind: 'voucher_create',
    key: `voucher/${voucher.id}/create`,
    reference: { voucherId: voucher.id },
    legs: [{ debit: accounts.wallet(wallet.id), credit: account, amount, asset: wallet.currency }],
  })
  // Several people can spend from it: the audit log records who did.
  if (wallet.ownerType === 'ORGANIZATION')
    await audit(tx, ctx, 'wallet.organization_voucher', {
      target: ['wallet', wallet.id],
      details: { organizationId: wallet.ownerId, amount: formatMoney(amount), voucherId: voucher.id },
    })
  return { ...voucherView(voucher), code: text }
}

function expiryOf({ now }: Tx, wish: string | undefined): Date {
  if (wish === undefined) return after(now, LIFE_DAYS.default * DAY)
  const expiresAt = new Date(wish)
  // A leap second has the right form and is no date.
  if (!(expiresAt > now && expiresAt <= after(now, LIFE_DAYS.max * DAY)))
    throw invalid('expiresAt must be in the future and at most 5 years ahead')
  return expiresAt
}

/** Vouchers of a wallet that the caller may read, or of all wallets of the caller and its agents; the newest first. */
export async function listVouchers(q: Queryable, ctx: RequestContext, query: Static<typeof VoucherQuery>) {
  const { walletId, status } = query
  const page = pageOf(query)
  const of =
    walletId === undefined
      ? { accountId: ctx.principal.accountId }
      : { walletId: (await requireOwnWallet(q, ctx, walletId, 'read')).id }
  const rows = await q.rows(statements.vouchers({ of, status }, page))
  const { counted } = await q.one(statements.countVouchers({ of, status }, TOTAL_CAP + 1))
  return pageAnswer(rows.map(voucherView), counted, page)
}

/** Returns the money to the wallet that paid. Errors: 404, 403 for the wallet of another account, 409 if it has ended. */
export async function cancelVoucher(tx: Tx, ctx: RequestContext, id: string) {
  const found = isId(id) ? await tx.maybe(statements.voucherById(id)) : undefined
  if (!found) throw apiError(WALLETS.VOUCHER_NOT_FOUND)
  await requireOwnWallet(tx, ctx, found.walletId)
  const voucher = await tx.one(statements.lockVoucher(id))
  return voucherView(
    await giveBack(tx, voucher, { event: 'cancel', by: 'owner', actorId: ctx.principal.accountId }),
  )
}

/** Timer: nobody redeemed the voucher in time. */
export async function expireVoucher(tx: Tx, id: string): Promise<void> {
  const voucher = await tx.one(statements.lockVoucher(id))
  if (voucher.status !== 'ACTIVE' || voucher.expiresAt > tx.now) return
  await giveBack(tx, voucher, { event: 'expire', by: 'timer' })
  await sweepIfDeleted(tx, voucher.walletId)
}

/** Ends a voucher that the caller has locked; its money goes to the wallet that paid. */
async function giveBack(
  tx: Tx,
  voucher: Voucher,
  change: Transition<VoucherEvent, VoucherTrigger>,
): Promise<Voucher> {
  const ended = await transition(tx, voucherMachine, voucher, { ...change, set: { endedAt: tx.now } })
  const wallet = await requireWallet(tx, voucher.walletId)
  const recovery = (await returnRecovery.call(tx, { wallet, amount: voucher.amount })).flat()
  await payVoucher(tx, voucher, { verb: change.event, walletId: wallet.id, recovery })
  tx.write(sql`${budgets.updateReturned(voucher.id, voucher.amount)}`)
  return ended
}

/** Posts the money of a voucher to a wallet; returns the id of the journal. */
export async function payVoucher(
  tx: Tx,
  { id, amount, currency: asset }: Voucher,
  { verb, walletId, recovery = [] }: { verb: VoucherEvent; walletId: string; recovery?: readonly Leg[] },
): Promise<string> {
  const journal = await post(tx, {
    kind: `voucher_${verb}`,
    key: `voucher/${id}/${verb}`,
    reference: { voucherId: id },
    legs: [{ debit: accounts.voucher(id), credit: accounts.wallet(walletId), amount, asset }, ...recovery],
  })
  return journal.id
}

function voucherView(voucher: Voucher) {
  const { id, status, walletId, amount, currency, codePrefix, note, expiresAt, endedAt, createdAt } = voucher
  return {
    id,
    status,
    walletId,
    amount: formatMoney(amount),
    currency,
    codePrefix,
    note,
    expiresAt: expiresAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}
