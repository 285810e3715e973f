/** Micro-units of a decimal text such as `100.00`. */
function micro(amount: string): bigint {
  const [whole = '0', decimals = ''] = amount.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0').slice(0, 6))
}

function decimal(amount: bigint): string {
  const decimals = String(amount % 1_000_000n)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${amount / 1_000_000n}.${decimals}`
}

/** Both parts of what is held, as the server divides it: the seller's part is rounded down, the rest is the buyer's. */
export function partsOf(held: string, sellerBps: number): { seller: string; buyer: string } {
  const all = micro(held)
  const seller = (all * BigInt(sellerBps)) / 10_000n
  return { seller: decimal(seller), buyer: decimal(all - seller) }
}
