import assert from 'node:assert/strict'

export type AccountKind = 'asset' | 'liability' | 'revenue' | 'expense'

/** One row of the chart: accounts are `<code>`, or `<code>:<owner>` where each owner has one. */
export interface ChartRow {
  code: string
  name: string
  kind: AccountKind
  /** May not go below zero: has a balance row and can be frozen. */
  guarded: boolean
  owned: boolean
}

const row =
  (kind: AccountKind, guarded: boolean, owned: boolean) =>
  (code: string, name: string): ChartRow => ({ code, name, kind, guarded, owned })
const asset = row('asset', false, false)
const ownedAsset = row('asset', false, true)
const guarded = row('liability', true, true)
const liability = row('liability', false, false)
const ownedLiability = row('liability', false, true)
const revenue = row('revenue', false, false)
const expense = row('expense', false, false)

/** The chart of accounts. An account whose code is not here does not exist. */
export const chart: readonly ChartRow[] = [
  asset('1010', 'card money at the processor'),
  ownedAsset('1030', 'custody: managed crypto wallets'),
  asset('1040', 'chargebacks in progress'),
  ownedAsset('1050', 'receivable from a seller, buyer or affiliate'),
  asset('1090', 'test float: backs test credit only'),
  guarded('2010', 'wallet'),
  guarded('2011', 'test credit of a wallet'),
  guarded('2020', 'escrow'),
  guarded('2030', 'voucher outstanding'),
  guarded('2040', 'routing balance'),
  guarded('2041', 'routing balance in test credit'),
  guarded('2045', 'routing lease'),
  guarded('2046', 'routing lease in test credit'),
  guarded('2050', 'affiliate commission in its hold period'),
  guarded('2051', 'affiliate commission payable'),
  guarded('2060', 'payout in transit'),
  liability('2070', 'suspense: inbound money with no owner'),
  ownedLiability('2110', 'model cost owed to a provider'),
  guarded('2130', 'deferred subscription revenue'),
  liability('2140', 'unclaimed funds of anonymized accounts'),
  revenue('4010', 'marketplace fee'),
  revenue('4020', 'routing fee'),
  revenue('4030', 'subscription'),
  expense('5010', 'processor fee'),
  expense('5020', 'gas'),
  expense('5040', 'affiliate commission'),
  expense('5050', 'chargeback loss'),
  expense('5060', 'promotion'),
  expense('5070', 'gateway loss'),
]

const rows = new Map(chart.map(entry => [entry.code, entry]))
const owned =
  (code: string) =>
  (owner: string): string =>
    `${code}:${owner}`

/** Account codes by the names that the postings use. */
export const accounts = {
  processor: '1010',
  custody: (network: string, asset: string): string => `1030:${network}:${asset}`,
  dispute: '1040',
  receivable: owned('1050'),
  testFloat: '1090',
  wallet: owned('2010'),
  testCredit: owned('2011'),
  escrow: owned('2020'),
  voucher: owned('2030'),
  routing: owned('2040'),
  testRouting: owned('2041'),
  routingLease: owned('2045'),
  testRoutingLease: owned('2046'),
  affiliateHold: owned('2050'),
  affiliatePayable: owned('2051'),
  payout: owned('2060'),
  suspense: '2070',
  provider: owned('2110'),
  deferredSubscription: owned('2130'),
  unclaimed: '2140',
  marketplaceFee: '4010',
  routingFee: '4020',
  subscription: '4030',
  processorFee: '5010',
  gas: '5020',
  commission: '5040',
  chargebackLoss: '5050',
  promotion: '5060',
  gatewayLoss: '5070',
} as const

/** The chart's row of an account. An account that the chart does not know is a defect of the program. */
export function chartOf(account: string): ChartRow {
  const [code, owner] = split(account)
  const found = rows.get(code)
  assert(
    found,
    `ledger: no account ${account} in the chart: use the helpers of "accounts", or add its code to the chart`,
  )
  assert(
    found.owned === Boolean(owner),
    `ledger: account ${account} ${found.owned ? 'needs an owner (code:owner)' : 'has no owner'}`,
  )
  return found
}

/** Whether the chart has this account, which text from a request may not be. */
export function isAccount(account: string): boolean {
  const [code, owner] = split(account)
  const found = rows.get(code)
  return found !== undefined && found.owned === Boolean(owner)
}

export const isGuarded = (account: string): boolean => chartOf(account).guarded

/** "wallet 0198c0de-...", "escrow 0198c0de-...", "card money at the processor". */
export function nameOf(account: string): string {
  const name = chartOf(account).name.split(':')[0] ?? ''
  const [, owner] = split(account)
  return owner === undefined ? name : `${name} ${owner}`
}

// Owners may hold colons themselves: 1030:eip155:8453:USDC.
function split(account: string): [string, string?] {
  const colon = account.indexOf(':')
  return colon < 0 ? [account] : [account.slice(0, colon), account.slice(colon + 1)]
}
