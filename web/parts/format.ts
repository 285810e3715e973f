import { site } from '../app/page-data.ts'
import { language, textFor } from '../texts/text.ts'

/** Prices of models have up to 6 decimals; amounts of deals end after 2. */
const DIGITS = { minimumFractionDigits: 2, maximumFractionDigits: 6 } as const

/** An amount without its currency: `1,250.00`. */
export const amountOf = (amount: string | number): string =>
  // The text goes in as it is: a number would round what has more than 15 digits.
  new Intl.NumberFormat(language, DIGITS).format(amount as number)

/** An amount with the code of its currency, on one line: `1,250.00 USDC`. */
export const amountIn = (amount: string | number, currency: string): string =>
  `${amountOf(amount)}\u{a0}${currency}`

/** An amount of the API (a decimal text or number in the currency of the site) as people write it. */
export function money(amount: string | number, currency: string = site.currency): string {
  // A token on a chain is not a dollar: only its code says what it is.
  if (currency === 'USDC') return amountIn(amount, currency)
  return new Intl.NumberFormat(language, { style: 'currency', currency, ...DIGITS }).format(amount as number)
}

/** The signs between groups of digits and before decimals, for a field: as `amountOf` writes them. */
export function separators(): { thousandSeparator: string; decimalSeparator: string } {
  const parts = new Intl.NumberFormat(language).formatToParts(12_345.6)
  const signOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? ''
  return { thousandSeparator: signOf('group'), decimalSeparator: signOf('decimal') }
}

/** A chain by its name, where the catalog has one: `Base Sepolia` for `eip155:84532`. */
export const networkName = (id: string): string => textFor(`network.${id}`) ?? id

/** Whether a text is an id of the API, in place of a name that the person could have typed. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

export const number = (value: number): string => new Intl.NumberFormat(language).format(value)

const KB = 1024
const MB = 1024 * KB

/** The size of a file: `1.5 MB`. */
export function bytesInWords(bytes: number): string {
  const rounded = (size: number): string => number(Math.round(size * 10) / 10)
  if (bytes < KB) return `${bytes} B`
  return bytes < MB ? `${rounded(bytes / KB)} KB` : `${rounded(bytes / MB)} MB`
}

/** One digit after the point: `4.8`. */
export const decimal = (value: number): string =>
  new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value)

export const percent = (share: number): string =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(share)

/** A rate in basis points, with both of its decimals: `2.25%`. */
export const rate = (bps: number): string =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 }).format(bps / 10_000)

export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone

export const dateTime = (iso: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso))

export const date = (iso: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(iso))

/** A moment at which a period of the service begins, in its time zone: elsewhere it may be another day. */
export const utcDateTime = (iso: string): string =>
  `${new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(iso))} UTC`

/** A day within the last year: `Nov 22`. */
export const monthDay = (day: Date): string =>
  new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' }).format(day)

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** How long ago, or how far ahead: `3 hours ago`, `in 2 days`. Never `tomorrow`: in 47 hours it is the day after. */
export function fromNow(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000
  const format = new Intl.RelativeTimeFormat(language)
  for (const [unit, length] of STEPS)
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit)
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(0, 'minute')
}
