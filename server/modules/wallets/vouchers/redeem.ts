import type { Static } from '#platform/http/type'
import type { Tx } from '#platform/kernel/db'
import { apiError, type ErrorRow } from '#platform/kernel/errors'
import { transition } from '#platform/kernel/machine'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { limited } from '#platform/http/limits/limits'
import type { RequestContext } from '#platform/http/principal'
import { WALLETS } from '../errors.ts'
import { walletChangedBy } from '../statement.ts'
import { createWallet, defaultWallet, lockToCredit, requireOwnWallet } from '../wallet.ts'
import type { Wallet } from '../sql.ts'
import { codeHashOf } from './code.ts'
import type { RedeemVoucher } from './schema.ts'
import * as statements from './sql.ts'
import type { Voucher } from './sql.ts'
import { voucherMachine, type VoucherStatus } from './voucher-machine.ts'
import { payVoucher } from './voucher.ts'

/** Wrong codes of one account in a minute. */
const WRONG_CODES = { max: 5, windowSeconds: 60 }

const MISTYPED = 'The checksum of the code is wrong: compare its 16 characters with the original'

/**
 * 404 for a code that belongs to no voucher. It counts as one of 5 wrong codes that an account has in a minute; beyond
 * them every code is 429. Right codes do not count. The window is locked while a code is looked up, so that parallel requests cannot exceed the limit.
 */
export async function requireKnownCode(
  { db, limits, secrets }: Pick<Services, 'db' | 'limits' | 'secrets'>,
  { principal }: RequestContext,
  code: string,
): Promise<void> {
  const { max, windowSeconds } = WRONG_CODES
  const key = `voucher:${principal.accountId}`
  const refusal = await db.transaction(async tx => {
    const window = await limits.take(key, max, windowSeconds, { calls: 0, on: tx })
    if (!window.remaining) return limited(window)
    const hash = codeHashOf(secrets, code)
    if (hash && (await tx.maybe(statements.voucherByCode(hash)))) return undefined
    await limits.take(key, max, windowSeconds, { on: tx })
    return apiError(WALLETS.VOUCHER_NOT_FOUND, { hint: hash ? 'No voucher has this code' : MISTYPED })
  })
  if (refusal) throw refusal
}

const ENDED: Record<Exclude<VoucherStatus, 'ACTIVE'>, ErrorRow> = {
  REDEEMED: WALLETS.VOUCHER_REDEEMED,
  CANCELLED: WALLETS.VOUCHER_CANCELLED,
  EXPIRED: WALLETS.VOUCHER_EXPIRED,
}

/**
 * Credits a voucher to a wallet of the caller, by default the one of the voucher's currency. Errors: 409 if it was
 * redeemed, cancelled or has expired, 400 for a wallet of another currency.
 */
export async function redeemVoucher(
  tx: Tx,
  ctx: RequestContext,
  { code, walletId }: Static<typeof RedeemVoucher>,
  secrets: Services['secrets'],
) {
  const { accountId } = ctx.principal
  const hash = codeHashOf(secrets, code)
  const found = hash && (await tx.maybe(statements.voucherByCode(hash)))
  if (!found) throw apiError(WALLETS.VOUCHER_NOT_FOUND)
  const chosen =
    walletId === undefined ? await walletFor(tx, accountId, found) : await requireOwnWallet(tx, ctx, walletId)
  const voucher = await lockRedeemable(tx, found.id)
  const wallet = await lockToCredit(tx, chosen.id, voucher.currency)
  const { id, status, amount, currency } = await transition(tx, voucherMachine, voucher, {
    event: 'redeem',
    by: 'redeemer',
    actorId: accountId,
    set: { endedAt: tx.now },
  })
  const journalId = await payVoucher(tx, voucher, { verb: 'redeem', walletId: wallet.id })
  return {
    id,
    status,
    amount: formatMoney(amount),
    currency,
    ...(await walletChangedBy(tx, wallet, journalId)),
  }
}

async function lockRedeemable(tx: Tx, id: string): Promise<Voucher> {
  const voucher = await tx.one(statements.lockVoucher(id))
  // The timer may be late.
  const status = voucher.status === 'ACTIVE' && voucher.expiresAt <= tx.now ? 'EXPIRED' : voucher.status
  if (status !== 'ACTIVE')
    throw apiError(ENDED[status], { hint: 'Ask the person who gave you the code for a new voucher' })
  return voucher
}

const walletFor = async (tx: Tx, ownerId: string, { currency }: Voucher): Promise<Wallet> =>
  (await defaultWallet(tx, 'USER', ownerId, currency)) ??
  createWallet(tx, { ownerType: 'USER', ownerId, accountId: ownerId, currency })
