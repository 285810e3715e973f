import type { Price, Rates } from '../../core/model.ts'

/** Until another price is valid: requests of any time have one. */
const FROM_THE_BEGINNING = new Date(0)

/** `per` million tokens in USD, as the vendors list them. */
interface Listed {
  input: number
  output: number
  /** Where the vendor lists none, cached tokens cost as much as others. */
  cacheRead?: number
  /** Where the vendor lists none, writing to the cache costs nothing extra. */
  cacheWrite?: number
}

/** A list price of at most 3 decimals is an integer of nano-USD per token. */
const nano = (usdPerMillion: number): number => Math.round(usdPerMillion * 1000)

const rates = ({ input, output, cacheRead = input, cacheWrite = input }: Listed): Rates => ({
  input: nano(input),
  output: nano(output),
  cacheRead: nano(cacheRead),
  cacheWrite: nano(cacheWrite),
})

/** Anthropic lists 10 % of the input price for reading from the cache and 125 % for writing to it (5 minutes). */
const anthropic = (input: number, output: number): Listed => ({
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input * 1.25,
})

interface More {
  above?: readonly [tokens: number, listed: Listed]
  peak?: { days: readonly number[]; hours: readonly (readonly [number, number])[]; listed: Listed }
}

const price = (model: string, base: Listed, { above, peak }: More = {}): Price => ({
  model,
  validFrom: FROM_THE_BEGINNING,
  base: rates(base),
  lengthTiers: above ? [{ above: above[0], rates: rates(above[1]) }] : [],
  peak: peak ? { days: peak.days, hours: peak.hours, rates: rates(peak.listed) } : null,
})

/** The list prices of November 2026: the rows that a new database begins with. */
export const INITIAL_PRICES: readonly Price[] = [
  price('qwen3.7-flash', { input: 0.03, output: 0.13, cacheRead: 0.006 }),
  price(
    'gpt-6-luna',
    { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
    { above: [272_000, { input: 0.2, output: 0.75, cacheRead: 0.02, cacheWrite: 0.25 }] },
  ),
  price('claude-haiku-5-5', anthropic(0.1, 0.5), { above: [100_000, anthropic(0.5, 2.5)] }),
  price(
    'deepseek-flash',
    { input: 0.15, output: 0.6, cacheRead: 0.003 },
    {
      // Chinese holidays are off-peak at the vendor; they are not known here, so that they cost as other weekdays.
      peak: {
        days: [1, 2, 3, 4, 5],
        hours: [
          [1, 4],
          [6, 10],
        ],
        listed: { input: 0.3, output: 1.2, cacheRead: 0.006 },
      },
    },
  ),
  price('mistral-small-2603', { input: 0.15, output: 0.6, cacheRead: 0.015 }),
  price('kimi-k2.6', { input: 0.95, output: 4, cacheRead: 0.16 }),
  price('glm-5', { input: 1, output: 3.2, cacheRead: 0.2 }),
  price(
    'gpt-6.1-terra',
    { input: 1, output: 5, cacheRead: 0.05, cacheWrite: 1.25 },
    // The vendor lists no price of cache writes for long prompts: 125 % of the input price, as below the edge.
    { above: [272_000, { input: 2, output: 7.5, cacheRead: 0.1, cacheWrite: 2.5 }] },
  ),
  price(
    'grok-4.3',
    { input: 1.25, output: 2.5, cacheRead: 0.2 },
    { above: [200_000, { input: 2.5, output: 5, cacheRead: 0.4 }] },
  ),
  price('claude-sonnet-5-5', anthropic(2, 10)),
  price(
    'gemini-3.1-pro-preview',
    { input: 2, output: 12, cacheRead: 0.2 },
    { above: [200_000, { input: 4, output: 18, cacheRead: 0.4 }] },
  ),
  price('kimi-k3', { input: 3, output: 15, cacheRead: 0.3 }),
  price('claude-opus-5', anthropic(5, 25)),
  price(
    'gpt-6-astra',
    { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
    // Cache prices of long prompts follow the input price, as for gpt-6.1-terra.
    { above: [272_000, { input: 20, output: 75, cacheRead: 2, cacheWrite: 25 }] },
  ),
  price('gpt-5.2-pro', { input: 21, output: 168 }),
  price('text-embedding-3-small', { input: 0.02, output: 0 }),
  price('text-embedding-3-large', { input: 0.13, output: 0 }),
  price('gemini-embedding-001', { input: 0.15, output: 0 }),
]
