import type { Timer } from '#platform/kernel/background/timers'
import { part } from '#platform/kernel/sql'
import { expireVoucher } from './voucher.ts'

export const voucherTimer: Timer = {
  name: 'voucher expiry',
  table: 'wallets_voucher',
  column: 'expires_at',
  where: part`status = 'ACTIVE'`,
  run: expireVoucher,
}
