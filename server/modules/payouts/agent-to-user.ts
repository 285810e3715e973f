import { accounts, lockBalances, post } from '#ledger'
import {
  createWallet,
  lockPayment,
  requireReceivingWallet,
  subAccounts,
  walletHistory,
  WALLETS,
  type Wallet,
} from '#wallets'
import { audit } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { formatMoney, type Asset } from '#platform/kernel/money'
import { part } from '#platform/kernel/sql'
import { amountOf } from './payout/amount.ts'
import { lockOwnAgent } from './owner.ts'

interface Move {
  agentId: string
  amount?: number | string
  amountCents?: number
  currency?: Asset
}

/**
 * Moves real money from an agent's default wallet to that of the caller, who owns the agent. Errors: 404 for an unknown
 * agent or an agent without a wallet of the currency, 403 for another owner, 400 `Insufficient balance`.
 */
export async function payAgentOwner(tx: Tx, ctx: RequestContext, move: Move) {
  const { agentId, currency = 'USD' } = move
  const amount = amountOf(move)
  const agent = await lockOwnAgent(tx, ctx, agentId)
  const { from, to } = await walletsOf(tx, { agentId: agent.id, accountId: agent.ownerId, currency })
  await lockBalances(tx, [...subAccounts(from), ...subAccounts(to)], currency)
  // A deletion that emptied the wallet first has committed by now.
  await requireReceivingWallet(tx, to.id)
  const { id: journalId } = await post(tx, {
    kind: 'agent_to_user',
    key: `agent-to-user/${newId()}`,
    author: ctx.principal.accountId,
    reference: { fromWalletId: from.id, toWalletId: to.id },
    legs: [{ debit: accounts.wallet(from.id), credit: accounts.wallet(to.id), amount, asset: currency }],
  })
  await audit(tx, ctx, 'payout.agent_to_user', {
    target: ['agent', agent.id],
    details: { amount: formatMoney(amount), currency, journalId },
  })
  return walletHistory.walletChangedBy(tx, to, journalId)
}

interface Parties {
  agentId: string
  accountId: string
  currency: Asset
}

async function walletsOf(
  tx: Tx,
  { agentId, accountId, currency }: Parties,
): Promise<{ from: Wallet; to: Wallet }> {
  // Without a payer nothing is locked here: both wallets are locked together, in account order.
  const { wallets } = await lockPayment(tx, {
    source: { walletId: '' },
    owners: part`select 'AGENT'::text, ${agentId}::uuid union all select 'USER', ${accountId}::uuid`,
  })
  const walletOf = (type: Wallet['ownerType']) =>
    wallets.find(wallet => wallet.ownerType === type && wallet.currency === currency)
  const from = walletOf('AGENT')
  if (!from) throw apiError(WALLETS.WALLET_NOT_FOUND, { hint: `The agent has no ${currency} wallet` })
  const to =
    walletOf('USER') ??
    (await createWallet(tx, { ownerType: 'USER', ownerId: accountId, accountId, currency }))
  return { from, to }
}
