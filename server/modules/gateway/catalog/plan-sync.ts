import { after, DAY, SECOND } from '#platform/kernel/clock'
import type { Catalog, Model, Price, Rates, Tier } from '../core/model.ts'
import type { GivenRates, PriceChange } from './schema.ts'

/** Input list prices of each tier in nano-USD per token (interface, "Limits"). */
export const TIER_BANDS: Readonly<Record<Tier, readonly [from: number, to: number]>> = {
  economy: [30, 950],
  mid: [1000, 3000],
  premium: [5000, 21_000],
}

/** A price that changes by more is more likely a mistake of its source, such as another unit. */
const LARGEST_FACTOR = 10
const LATEST = 366 * DAY
/**
 * Every instance reads a new price before it is valid: a request that reserved for the old price must not be charged the new
 * one.
 */
export const LEAD_MS = 5 * SECOND

export interface Rejection {
  model: string
  reason: string
}

export interface SyncPlan {
  checked: number
  changed: Price[]
  rejected: Rejection[]
}

/** Why a change is not applied. */
class Refusal extends Error {}
const refuse = (reason: string): never => {
  throw new Refusal(reason)
}

type Prices = Pick<Catalog, 'find' | 'priceOf'>

/**
 * Decides which changes become prices, in the order of their moments: each is compared with the price that it replaces, which
 * may be one of the changes before it. One that is equal to it is neither changed nor rejected.
 */
export function planSync(changes: readonly PriceChange[], prices: Prices, now: Date): SyncPlan {
  const plan: SyncPlan = { checked: changes.length, changed: [], rejected: [] }
  const dated: (Dated & { change: PriceChange; model: Model })[] = []
  for (const change of changes)
    collectRefusal(plan, change.model, () => {
      const model = prices.find(change.model) ?? refuse('unknown model')
      dated.push({ change, model, validFrom: momentOf(change.validFrom, now) })
    })
  for (const { change, model, validFrom } of dated.toSorted(byMoment))
    collectRefusal(plan, change.model, () => {
      const current = latest(plan.changed, prices.priceOf(model, validFrom))
      const price = priceOf(change, current, validFrom)
      requireSound(model, price)
      requireSmallStep(current.base, price.base)
      if (plan.changed.some(other => isSameMoment(other, price))) refuse('has another change at this moment')
      if (!isEqual(current, price)) plan.changed.push(price)
    })
  return plan
}

interface Dated {
  validFrom: Date
}
const byMoment = (a: Dated, b: Dated): number => a.validFrom.getTime() - b.validFrom.getTime()

/** The last change of the same model, unless the stored price begins after it. */
const latest = (changed: readonly Price[], stored: Price): Price =>
  changed.findLast(({ model, validFrom }) => model === stored.model && validFrom >= stored.validFrom) ??
  stored

/** Checks the prices that apply now. */
export function checkCurrent(models: readonly Model[], prices: Prices, now: Date): SyncPlan {
  const plan: SyncPlan = { checked: models.length, changed: [], rejected: [] }
  for (const model of models)
    collectRefusal(plan, model.id, () => requireSound(model, prices.priceOf(model, now)))
  return plan
}

function collectRefusal(plan: SyncPlan, model: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    plan.rejected.push({ model, reason: error.message })
  }
}

/** Requests that were answered stay priced as they were. */
function momentOf(validFrom: string | undefined, now: Date): Date {
  const earliest = after(now, LEAD_MS)
  if (validFrom === undefined) return earliest
  const moment = new Date(validFrom)
  if (Number.isNaN(moment.getTime())) refuse('validFrom is not a time')
  if (moment.getTime() < now.getTime()) refuse('validFrom is in the past')
  if (moment.getTime() > after(now, LATEST).getTime()) refuse('validFrom is more than a year ahead')
  return moment.getTime() < earliest.getTime() ? earliest : moment
}

/** The full price that a change means: what it does not state remains. */
const priceOf = (change: PriceChange, current: Price, validFrom: Date): Price => ({
  model: current.model,
  validFrom,
  base: ratesOf(change, current.base),
  lengthTiers: change.lengthTiers
    ? change.lengthTiers
        .map(tier => ({ above: tier.above, rates: ratesOf(tier, current.base) }))
        .toSorted((a, b) => b.above - a.above)
    : current.lengthTiers,
  peak: change.peak === undefined ? current.peak : change.peak && peakOf(change.peak, current.base),
})

const peakOf = ({ days, hours, ...rates }: NonNullable<PriceChange['peak']>, current: Rates) => ({
  days,
  hours: hours.map(([from = 0, to = 0]) => [from, to] as const),
  rates: ratesOf(rates, current),
})

/** Cache prices that are not stated stay in proportion to the input price: 10 % and 125 % at Anthropic. */
function ratesOf({ input, output, cacheRead, cacheWrite }: GivenRates, current: Rates): Rates {
  const inputNano = nanoOf(input)
  const inProportion = (rate: number): number =>
    current.input ? Math.round((rate * inputNano) / current.input) : inputNano
  return {
    input: inputNano,
    output: nanoOf(output),
    cacheRead: cacheRead === undefined ? inProportion(current.cacheRead) : nanoOf(cacheRead),
    cacheWrite: cacheWrite === undefined ? inProportion(current.cacheWrite) : nanoOf(cacheWrite),
  }
}

const DECIMAL = /^(\d{1,6})(?:\.(\d{1,3})0*)?$/

/** Nano-USD per token of USD per million tokens. */
function nanoOf(price: number | string): number {
  const [, whole = '', decimals = ''] =
    DECIMAL.exec(String(price)) ?? refuse(`${price} is not a price with at most 3 decimals`)
  return Number(whole) * 1000 + Number(decimals.padEnd(3, '0'))
}

/** What holds for every price. */
function requireSound({ tier, api }: Model, { base, lengthTiers, peak }: Price): void {
  const isEmbedding = api === 'openai-embeddings'
  const [from, to] = TIER_BANDS[tier]
  if (!isEmbedding && (base.input < from || base.input > to))
    refuse(`the input price is not within the band of the tier ${tier}`)
  const all = [base, ...lengthTiers.map(({ rates }) => rates), ...(peak ? [peak.rates] : [])]
  for (const { input, output, cacheRead, cacheWrite } of all) {
    if (input === 0 || (output === 0 && !isEmbedding)) refuse('a price is zero')
    if (cacheRead > input || input > cacheWrite) refuse('cacheRead <= input <= cacheWrite does not hold')
  }
  // Which of the two would apply is not defined.
  if (peak && lengthTiers.length) refuse('has both length tiers and peak hours')
  if (peak?.hours.some(([start, end]) => start >= end)) refuse('a peak hour ends before it begins')
  requireDearerTiers(base, lengthTiers)
}

function requireDearerTiers(base: Rates, tiers: Price['lengthTiers']): void {
  if (new Set(tiers.map(({ above }) => above)).size < tiers.length)
    refuse('two length tiers begin at one length')
  const rising = [...tiers.map(({ rates }) => rates), base]
  for (const [index, rates] of rising.slice(0, -1).entries()) {
    const shorter = rising[index + 1] ?? base
    if (rates.input < shorter.input || rates.output < shorter.output)
      refuse('a length tier is cheaper than a shorter one')
    if (isBeyond(rates, base)) refuse(`a length tier is more than ${LARGEST_FACTOR} times the base price`)
  }
}

function requireSmallStep(current: Rates, changed: Rates): void {
  if (isBeyond(current, changed))
    refuse(
      `changes by more than a factor of ${LARGEST_FACTOR}; the price is ${current.input} nano-USD per token`,
    )
}

const RATES = ['input', 'output', 'cacheRead', 'cacheWrite'] as const

const isBeyond = (a: Rates, b: Rates): boolean =>
  RATES.some(name => a[name] > b[name] * LARGEST_FACTOR || b[name] > a[name] * LARGEST_FACTOR)

const isSameMoment = (a: Price, b: Price): boolean =>
  a.model === b.model && a.validFrom.getTime() === b.validFrom.getTime()

const isEqual = (a: Price, b: Price): boolean => contentOf(a) === contentOf(b)

const contentOf = ({ base, lengthTiers, peak }: Price): string =>
  JSON.stringify([
    listOf(base),
    lengthTiers.map(({ above, rates }) => [above, listOf(rates)]),
    peak && [peak.days, peak.hours, listOf(peak.rates)],
  ])

const listOf = (rates: Rates): number[] => RATES.map(name => rates[name])
