/** What the clients were promised, in micro-units: the balances of wallets and the states of objects. */
export class Model {
  readonly wallets = new Map<string, bigint>()
  /** Wallets that a request without an answer so far may change. */
  readonly uncertain = new Map<string, number>()
  /** The objects that were acknowledged, by table and id, with their status. */
  readonly objects = new Map<string, Map<string, string>>()
  readonly routing = new Map<string, RoutingFunds>()

  add(wallet: string, amount: bigint): void {
    this.wallets.set(wallet, this.balanceOf(wallet) + amount)
  }

  balanceOf(wallet: string): bigint {
    return this.wallets.get(wallet) ?? 0n
  }

  set(table: string, id: string, status: string): void {
    const rows = this.objects.get(table) ?? new Map<string, string>()
    this.objects.set(table, rows.set(id, status))
  }

  /** The wallets that `work` changes are uncertain until it has ended, and remain so if it fails. */
  async during<T>(wallets: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const wallet of wallets) this.uncertain.set(wallet, (this.uncertain.get(wallet) ?? 0) + 1)
    const result = await work()
    for (const wallet of wallets) {
      const left = (this.uncertain.get(wallet) ?? 1) - 1
      if (left) this.uncertain.set(wallet, left)
      else this.uncertain.delete(wallet)
    }
    return result
  }
}

/** Money of one account for model requests, and the responses that it got. */
export interface RoutingFunds {
  /** Moved there, and not back. */
  paidIn: bigint
  /** Ids of acknowledged responses, with the time. */
  answered: Map<string, number>
}

const MICRO = 10_000n
export const cents = (count: number): bigint => BigInt(count) * MICRO
/** An amount of the service, a number or a decimal string, in micro-units. */
export function micro(amount: string | number): bigint {
  const [whole = '0', rest = ''] = (typeof amount === 'number' ? amount.toFixed(6) : amount).split('.')
  return BigInt(whole) * 1_000_000n + BigInt(rest.padEnd(6, '0'))
}
export const dollars = (amount: bigint): string =>
  `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, '0')}`
