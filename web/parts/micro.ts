/** Amounts of the API are decimal texts with at most 6 decimals: sums are exact in millionths. */
export function microOf(amount: string | number): bigint {
  const [, sign = '', whole = '0', decimals = ''] = /^(-?)(\d+)(?:\.(\d{0,6}))?/.exec(String(amount)) ?? []
  const value = BigInt(whole) * 1_000_000n + BigInt(decimals.padEnd(6, '0'))
  return sign ? -value : value
}

export function decimalOf(micro: bigint): string {
  const positive = micro < 0n ? -micro : micro
  const decimals = String(positive % 1_000_000n)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${micro < 0n ? '-' : ''}${positive / 1_000_000n}.${decimals}`
}

export const sumOf = (amounts: readonly (string | number)[]): string =>
  decimalOf(amounts.reduce<bigint>((sum, amount) => sum + microOf(amount), 0n))
