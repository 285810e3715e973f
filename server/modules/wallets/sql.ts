import { erasure } from '#identity'
import type { Asset } from '#platform/kernel/money'
import { part, sql, type SqlPart } from '#platform/kernel/sql'

export type OwnerType = 'USER' | 'AGENT' | 'ORGANIZATION'
export type WalletType = 'MANAGED' | 'PROVIDED'

/** A wallet names its owner and the account that may use it; its balances are the ledger's. */
export interface Wallet {
  id: string
  ownerType: OwnerType
  ownerId: string
  accountId: string
  currency: Asset
  /** Default for its currency among its owner's wallets. */
  isDefault: boolean
  status: 'ACTIVE'
  walletType: WalletType
  cryptoAddress: string | null
  cryptoNetwork: string | null
  createdAt: Date
}

const columns = part`id, owner_type, owner_id, account_id, currency, is_default,
  status, wallet_type, crypto_address, crypto_network, created_at`

export const walletById = (id: string) => sql<Wallet>`select ${columns} from wallets_wallet where id = ${id}`

export const walletsByIds = (ids: readonly string[]) =>
  sql<Wallet>`select ${columns} from wallets_wallet where id = any(${ids}::uuid[])`

export const defaultWallet = (ownerType: OwnerType, ownerId: string, currency: Asset) => sql<Wallet>`
  select ${columns} from wallets_wallet
  where owner_type = ${ownerType} and owner_id = ${ownerId} and currency = ${currency} and is_default`

/** Wallets by id, and the default wallets of some owners (`type`, `id`). */
export const walletsAmong = (ids: SqlPart, owners: SqlPart) => sql<Wallet>`
  select ${columns} from wallets_wallet where id in (${ids})
  union select ${columns} from wallets_wallet
    where (owner_type, owner_id) in (select type, id from (${owners}) o (type, id)) and is_default`

/** The default ones first, dollars before the rest. */
export const walletsOfOwner = (ownerType: OwnerType, ownerId: string) => sql<Wallet>`
  select ${columns} from wallets_wallet where owner_type = ${ownerType} and owner_id = ${ownerId}
  order by is_default desc, currency, id`

// `agentId` null: of all agents.
const ofAgents = (accountId: string, agentId: string | null) =>
  part`account_id = ${accountId} and owner_type = 'AGENT' and ${agentId === null ? part`true` : part`owner_id = ${agentId}`}`

export const agentWalletsOf = (
  accountId: string,
  agentId: string | null,
  page: { limit: number; offset: number },
) => sql<Wallet>`
  select ${columns} from wallets_wallet where ${ofAgents(accountId, agentId)}
  order by created_at desc, id desc limit ${page.limit} offset ${page.offset}`

export const countAgentWalletsOf = (accountId: string, agentId: string | null, atMost: number) => sql<{
  counted: number
}>`
  select count(*)::int as counted from (select from wallets_wallet where ${ofAgents(accountId, agentId)} limit ${atMost}) as found`

/** Of an account and of its agents, those of the account first. */
export const walletsUsedBy = (accountId: string, page: { limit: number; offset: number }) => sql<Wallet>`
  select ${columns} from wallets_wallet where account_id = ${accountId}
  order by owner_type = 'USER' desc, is_default desc, created_at desc, id desc limit ${page.limit} offset ${page.offset}`
export const countWalletsUsedBy = (accountId: string, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from wallets_wallet where account_id = ${accountId} limit ${atMost}) as found`

export const countWallets = (ownerType: OwnerType, ownerId: string) => sql<{ count: number }>`
  select count(*)::int as count from wallets_wallet where owner_type = ${ownerType} and owner_id = ${ownerId}`

/** Two wallets of one owner are made one after the other, so that exactly one is the default. */
export const lockOwner = (ownerType: OwnerType, ownerId: string) => sql`
  select pg_advisory_xact_lock(hashtextextended(${`wallets ${ownerType} ${ownerId}`}, 0))`

export const nextAddressIndex = () =>
  sql<{ index: number }>`select nextval('wallets_address_index')::int as index`

/** `isDefault` null: default when the owner has none of this currency yet. */
export const insertWallet = (
  wallet: Omit<Wallet, 'status' | 'isDefault'> & { isDefault: boolean | null; addressIndex: number | null },
) => sql<Wallet>`
  insert into wallets_wallet (id, owner_type, owner_id, account_id, currency, is_default, wallet_type, crypto_address, crypto_network,
    address_index, created_at, updated_at)
  values (${wallet.id}, ${wallet.ownerType}, ${wallet.ownerId}, ${wallet.accountId}, ${wallet.currency},
    coalesce(${wallet.isDefault}::boolean, not exists (select from wallets_wallet where owner_type = ${wallet.ownerType}
      and owner_id = ${wallet.ownerId} and currency = ${wallet.currency} and is_default)),
    ${wallet.walletType}, ${wallet.cryptoAddress}, ${wallet.cryptoNetwork}, ${wallet.addressIndex}, ${wallet.createdAt}, ${wallet.createdAt})
  returning ${columns}`

export const setController = (ownerType: OwnerType, ownerId: string, accountId: string, now: Date) => sql`
  update wallets_wallet set account_id = ${accountId}, updated_at = ${now} where owner_type = ${ownerType} and owner_id = ${ownerId}`

/**
 * Adds an amount to what an account moved today. No row, and nothing is added, where the sum would exceed `limit`.
 * Amounts are micro-units. Calls for one account and kind run one after the other.
 */
export const addToDayTotal = (total: {
  accountId: string
  kind: 'admin' | 'own'
  amount: bigint
  limit: bigint
  now: Date
}) => sql<{ amount: string }>`
  insert into wallets_day_total as t (account_id, kind, day, amount)
  select ${total.accountId}::uuid, ${total.kind}, (${total.now}::timestamptz at time zone 'UTC')::date, ${total.amount}::bigint
  where ${total.amount}::bigint <= ${total.limit}::bigint
  on conflict (account_id, kind) do update set day = excluded.day,
    amount = excluded.amount + case when t.day = excluded.day then t.amount else 0 end
  where excluded.amount + case when t.day = excluded.day then t.amount else 0 end <= ${total.limit}::bigint
  returning amount`

export const keyTree = () =>
  sql<{ publicKey: string; network: string }>`select public_key, network from wallets_key_tree`

export const insertKeyTree = (publicKey: string, network: string) => sql`
  insert into wallets_key_tree (public_key, network) values (${publicKey}, ${network}) on conflict do nothing`

export const walletsWithoutAddress = () => sql<{ id: string; index: number }>`
  select id, address_index as index from wallets_wallet where wallet_type = 'MANAGED' and crypto_address is null`

export const setAddress = (id: string, address: string, network: string) => sql`
  update wallets_wallet set crypto_address = ${address}, crypto_network = ${network} where id = ${id} and crypto_address is null`

export const walletsOfAccount = (accountId: string) =>
  sql<Wallet>`select ${columns} from wallets_wallet where account_id = ${accountId} order by id`

export const makeManaged = (
  id: string,
  made: { index: number; address: string | null; network: string | null },
  now: Date,
) => sql`
  update wallets_wallet set wallet_type = 'MANAGED', address_index = ${made.index}, crypto_address = ${made.address}, crypto_network = ${made.network}, updated_at = ${now}
  where id = ${id}`

/** All managed addresses. */
export const managedAddresses = () => sql<{ cryptoAddress: string }>`
  select crypto_address from wallets_wallet where address_index is not null and crypto_address is not null`

/** The managed addresses among these, with the index that their keys are derived from. */
export const managedAddressesAt = (addresses: readonly string[]) => sql<{
  id: string
  cryptoAddress: string
  addressIndex: number
}>`
  select id, crypto_address, address_index from wallets_wallet
  where address_index is not null and crypto_address = any(${addresses}::text[])`

/** The wallets of some accounts, with those of their agents, and of some organizations: a subquery of ids. */
export const walletsOfOwners = (owners: readonly string[]) =>
  part`select id from wallets_wallet where account_id = any(${owners}::uuid[])`

/** Whether the account behind one of some wallets is deleted, or its organization closed. `ids` is a list of columns. */
export const isAnyOrphan = (ids: SqlPart) => part`exists (select from wallets_wallet w where w.id in (${ids})
  and ${erasure.isDeletedParty(part`w.account_id`, part`case when w.owner_type = 'ORGANIZATION' then w.owner_id end`)})`
