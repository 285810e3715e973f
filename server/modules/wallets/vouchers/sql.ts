import type { Asset } from '#platform/kernel/money'
import { part, sql, type SqlPart } from '#platform/kernel/sql'
import type { Page } from '#platform/http/schema'
import type { VoucherStatus } from './voucher-machine.ts'

export interface Voucher {
  id: string
  status: VoucherStatus
  /** The wallet that paid, and that gets the money back. */
  walletId: string
  /** The account that created it. */
  accountId: string
  amount: bigint
  currency: Asset
  codePrefix: string
  note: string | null
  expiresAt: Date
  endedAt: Date | null
  createdAt: Date
}

export const insertVoucher = (
  row: Omit<Voucher, 'status' | 'endedAt'> & { codeHash: Buffer },
) => sql<Voucher>`
  insert into wallets_voucher (id, status, wallet_id, account_id, amount, currency, code_hash, code_prefix, note, expires_at,
    created_at, updated_at)
  values (${row.id}, 'ACTIVE', ${row.walletId}, ${row.accountId}, ${row.amount}, ${row.currency}, ${row.codeHash}, ${row.codePrefix},
    ${row.note}, ${row.expiresAt}, ${row.createdAt}, ${row.createdAt})
  returning *`

export const voucherById = (id: string) => sql<Voucher>`select * from wallets_voucher where id = ${id}`
export const lockVoucher = (id: string) =>
  sql<Voucher>`select * from wallets_voucher where id = ${id} for update`
export const voucherByCode = (codeHash: Buffer) =>
  sql<Voucher>`select * from wallets_voucher where code_hash = ${codeHash}`

export interface VoucherFilter {
  /** Vouchers of this wallet, or of all wallets that this account controls. */
  of: { walletId: string } | { accountId: string }
  status?: VoucherStatus
}

const matching = ({ of, status }: VoucherFilter): SqlPart => {
  const wallets =
    'walletId' in of
      ? part`wallet_id = ${of.walletId}`
      : part`wallet_id in (select id from wallets_wallet where account_id = ${of.accountId})`
  return status ? part`${wallets} and status = ${status}` : wallets
}

export const vouchers = (filter: VoucherFilter, { limit, offset }: Page) => sql<Voucher>`
  select * from wallets_voucher where ${matching(filter)} order by created_at desc, id desc limit ${limit} offset ${offset}`
export const countVouchers = (filter: VoucherFilter, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from wallets_voucher where ${matching(filter)} limit ${atMost}) as found`

export const activeVoucherOfAccount = (accountId: string) => sql<{ walletId: string }>`
  select wallet_id from wallets_voucher v join wallets_wallet w on w.id = v.wallet_id
  where w.account_id = ${accountId} and v.status = 'ACTIVE' limit 1`

/** Texts that these accounts wrote, and texts about their wallets. */
export const eraseNotes = (accountIds: readonly string[]) => sql`
  update wallets_voucher set note = null where note is not null and (account_id = any(${accountIds}::uuid[])
    or wallet_id in (select id from wallets_wallet where account_id = any(${accountIds}::uuid[])))`
