/** What one account paid to another in deals. */
export interface Payment {
  payer: string
  payee: string
  amount: number
}

/** Of what a buyer pays, the seller gets this share at least: the platform fee is 20 %. */
const AFTER_FEE = 0.8
const SMALLEST = 1e-9

/**
 * For each counterparty of `seller` the share (0 to 1) of what it paid that may have come back to it by deals: the
 * largest flow from the seller to its counterparties (Edmonds-Karp), in which each amount returns once. What a payment
 * lost to the fee on its way is added back, so that accounts that trade in a circle with the same money return all of it.
 */
export function returnedShares(seller: string, payments: readonly Payment[]): Map<string, number> {
  const network = new Network()
  const distance = distancesFrom(seller, payments)
  const paid = new Map<string, number>()
  for (const { payer, payee, amount } of payments) {
    if (payee === seller) paid.set(payer, (paid.get(payer) ?? 0) + amount)
    else network.add(payer, payee, amount / AFTER_FEE ** ((distance.get(payer) ?? 0) + 1))
  }
  for (const [counterparty, amount] of paid) network.add(counterparty, SINK, amount)
  network.maximize(seller)
  const shares = new Map<string, number>()
  for (const [counterparty, amount] of paid) {
    const share = (amount - network.capacity(counterparty, SINK)) / amount
    if (share > SMALLEST) shares.set(counterparty, Math.min(1, share))
  }
  return shares
}

const SINK = 'sink'

function distancesFrom(start: string, payments: readonly Payment[]): Map<string, number> {
  const payees = new Map<string, string[]>()
  for (const { payer, payee } of payments) payees.set(payer, [...(payees.get(payer) ?? []), payee])
  const distance = new Map([[start, 0]])
  for (const account of distance.keys())
    for (const payee of payees.get(account) ?? [])
      if (!distance.has(payee)) distance.set(payee, (distance.get(account) ?? 0) + 1)
  return distance
}

/** Residual capacities between accounts. */
class Network {
  readonly #edges = new Map<string, Map<string, number>>()

  capacity(from: string, to: string): number {
    return this.#edges.get(from)?.get(to) ?? 0
  }

  add(from: string, to: string, amount: number): void {
    const edges = this.#edges.get(from) ?? new Map<string, number>()
    this.#edges.set(from, edges.set(to, (edges.get(to) ?? 0) + amount))
  }

  /** Sends as much as possible from `source` to the sink. */
  maximize(source: string): void {
    for (let path = this.#path(source); path; path = this.#path(source)) {
      const hops = path.slice(1).map((to, index) => [path?.[index] ?? '', to] as const)
      const amount = Math.min(...hops.map(([from, to]) => this.capacity(from, to)))
      for (const [from, to] of hops) {
        this.add(from, to, -amount)
        this.add(to, from, amount)
      }
    }
  }

  /** A shortest path with capacity left, from the source to the sink. */
  #path(source: string): string[] | undefined {
    const before = new Map<string, string | null>([[source, null]])
    for (const account of before.keys()) {
      if (account === SINK) break
      for (const [next, capacity] of this.#edges.get(account) ?? [])
        if (capacity > SMALLEST && !before.has(next)) before.set(next, account)
    }
    if (!before.has(SINK)) return undefined
    const path: string[] = []
    for (let at: string | null | undefined = SINK; at; at = before.get(at)) path.unshift(at)
    return path
  }
}
