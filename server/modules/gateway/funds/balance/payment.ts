import { erasure } from '#identity'
import { accounts, freezeAccount, ledgerOwners, lockBalances, openAccounts, unfreezeAccount } from '#ledger'
import { cardPayments, chargebacks, type ConfirmedPayment, type Destination } from '#payments'
import { creditAccount, requireWallet, type Wallet } from '#wallets'
import type { Tx } from '#platform/kernel/db'
import { closeLeasesOf, routingAccount, writeMessage } from '../close.ts'
import { ASSET, defaultWalletOf, realBalance } from './wallet.ts'

/**
 * The destination of a payment for ROUTING: the routing balance of the account that it refers to. Of a deleted account it
 * is the wallet, from where it leaves with the rest.
 */
export async function routingDestination(
  tx: Tx,
  { reference: accountId, amount, asset, source }: ConfirmedPayment,
): Promise<Destination> {
  // Locked by the deletion too, which must not end between the question and the posting.
  const wallet = await defaultWalletOf(tx, accountId)
  const credit = (await isDeleted(tx, accountId))
    ? creditAccount(wallet, false)
    : await openBalance(tx, accountId)
  return { legs: [{ debit: source, credit, amount, asset }], reference: { accountId } }
}

/**
 * A chargeback of a payment that topped up a routing balance: its real money is not spent until the dispute is decided, and
 * a lost amount is taken from it, with what instances have leased. What it does not hold is taken from wallets of the account
 * to which it was withdrawn since, which are frozen too; the account owes the rest.
 */
export async function chargeBackTopUp(
  tx: Tx,
  step: chargebacks.ChargebackStep,
): Promise<chargebacks.ChargebackEffect> {
  const { event, disputeId, reference: accountId, amount, asset } = step
  const account = await openBalance(tx, accountId)
  const concerned = [accountId]
  const reason = chargebacks.chargebackReason(disputeId)
  const withdrawn = await withdrawnSince(tx, step)
  if (event !== 'opened')
    for (const { wallet } of withdrawn) await unfreezeAccount(tx, accounts.wallet(wallet.id), asset, reason)
  if (event === 'lost') {
    await closeLeasesOf(tx, accountId, 'processor')
    const held = (await lockBalances(tx, [account], ASSET)).get(account) ?? 0n
    return { concerned, parts: partsOf(step, { account, held, withdrawn }) }
  }
  if (event === 'won') await unfreezeAccount(tx, account, asset, reason)
  // A freeze would stop the deletion, which repeats to sweep what came late.
  else if (!(await isDeleted(tx, accountId))) {
    await freezeAccount(tx, account, asset, reason)
    writeMessage(tx, { kind: 'recall', accountId })
    if ((await realBalance(tx, accountId)) < amount)
      for (const { wallet } of withdrawn) await chargebacks.freezeDisputedWallet(tx, wallet, step)
  }
  return { concerned }
}

/** A wallet to which money of a routing balance was withdrawn. */
interface Withdrawn {
  wallet: Wallet
  amount: bigint
}

/** Wallets of the account to which its routing balance was withdrawn after a payment. */
async function withdrawnSince(
  tx: Tx,
  { paymentId, reference: accountId }: chargebacks.ChargebackStep,
): Promise<Withdrawn[]> {
  const journalId = (await cardPayments.paymentById(tx, paymentId))?.journalId
  if (!journalId) return []
  const sent = await ledgerOwners.sentSince(tx, routingAccount(accountId, false), {
    kind: 'routing_returned',
    journalId,
  })
  const found: Withdrawn[] = []
  for (const [account, amount] of sent) {
    const wallet = await requireWallet(tx, account.slice(accounts.wallet('').length))
    // Who has claimed an agent since owes nothing.
    if (wallet.accountId === accountId) found.push({ wallet, amount })
  }
  return found
}

/** A lost amount: from the balance, then from the wallets that got money from there. The balance owes the rest. */
function partsOf(
  { reference: debtorId, amount, lostBefore }: chargebacks.ChargebackStep,
  { account, held, withdrawn }: { account: string; held: bigint; withdrawn: readonly Withdrawn[] },
): chargebacks.LostPart[] {
  let open = amount > held ? amount - held : 0n
  const parts = withdrawn.map(({ wallet, amount: sum }) => {
    const name = accounts.wallet(wallet.id)
    const left = sum - (lostBefore.get(name) ?? 0n)
    const part = left < open ? left : open
    open -= part
    return { account: name, amount: part, debtorId }
  })
  const paid = parts.reduce((sum, part) => sum + part.amount, 0n)
  return [{ account, amount: amount - paid, debtorId }, ...parts]
}

/** Money that arrives may be the first of this account. */
async function openBalance(tx: Tx, accountId: string): Promise<string> {
  const account = routingAccount(accountId, false)
  await openAccounts(tx, [{ account, asset: ASSET }])
  return account
}

const isDeleted = async (tx: Tx, accountId: string): Promise<boolean> =>
  (await erasure.deletedAmong(tx, [accountId])).size > 0
