import { MICRO } from '#platform/kernel/money'

/** Money or a budget: what this instance has free, and what is left in the database. In micro-USD. */
export interface Pot {
  free: bigint
  /** Below zero where the limit of a budget was lowered. */
  left: bigint
}

export interface PlanRequest {
  /** Names of the pots that pay. */
  pots: readonly string[]
  minimum: bigint
  wanted: bigint
}

export interface Plan<Request extends PlanRequest> {
  /** What to take from the database for each pot; below zero to give back. */
  take: ReadonlyMap<string, bigint>
  /** The requests whose minimum a pot does not cover, with its name. */
  lacking: ReadonlyMap<Request, string>
}

/** Largest block, unless the requests that wait need more. */
const BLOCK = MICRO
/** Part of what is left that is taken at once, so that other instances find something. */
const PART = 4n

/** Serves requests in their order: each gets what it wants, or what is left if that is its minimum at least. */
export function planBlocks<Request extends PlanRequest>(
  requests: readonly Request[],
  pots: ReadonlyMap<string, Pot>,
): Plan<Request> {
  const used = new Map<string, bigint>()
  const lacking = new Map<Request, string>()
  for (const request of requests) {
    let amount = request.wanted
    let tightest = ''
    for (const name of request.pots) {
      const rest = totalOf(pots.get(name)) - (used.get(name) ?? 0n)
      if (rest < amount) [amount, tightest] = [rest, name]
    }
    if (amount < request.minimum) lacking.set(request, tightest)
    else for (const name of request.pots) used.set(name, (used.get(name) ?? 0n) + amount)
  }
  const take = new Map([...pots].map(([name, pot]) => [name, blockOf(pot, used.get(name) ?? 0n)]))
  return { take, lacking }
}

const totalOf = (pot: Pot | undefined): bigint => (pot ? pot.free + pot.left : 0n)

function blockOf({ free, left }: Pot, used: bigint): bigint {
  if (left < 0n) return max(left, -free)
  const need = used - free
  if (need <= 0n) return 0n
  return min(left, max(need, min(BLOCK, left / PART)))
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

export interface Charge {
  /** Micro-USD, from the routing balance. */
  cost: bigint
  fee: bigint
  /** Cost that the platform bears. */
  borne: bigint
}

/** What a request is charged: never more than it reserved, the cost before the fee. */
export function chargeOf(reserved: bigint, { cost, fee }: { cost: bigint; fee: bigint }): Charge {
  const charged = min(cost, reserved)
  return { cost: charged, fee: min(fee, reserved - charged), borne: cost - charged }
}
