import type { Config } from '#platform/kernel/config'

export interface Deadlines {
  firstByteMs: number
  totalMs: number
}

export interface CallSettings {
  /** Further attempts at the same model. */
  retries: number
  cacheBytes: number
  /** The longest of all deadlines. */
  longestMs: number
  deadlinesOf(modelId: string): Deadlines
  /** Models that have deadlines of their own. */
  named: readonly string[]
}

const OVERRIDE = /^([^=\s]+)=(\d{1,7})\/(\d{1,7})$/

/** Throws for a deadline that cannot be read, so that the service does not start with it. */
export function callSettings(config: Config): CallSettings {
  const common = { firstByteMs: config.GATEWAY_FIRST_BYTE_MS, totalMs: config.GATEWAY_TOTAL_MS }
  const own = new Map<string, Deadlines>()
  for (const text of config.GATEWAY_DEADLINES) {
    const [, model, firstByteMs, totalMs] = OVERRIDE.exec(text) ?? []
    if (model === undefined)
      throw new Error(`GATEWAY_DEADLINES: ${text} is not model=milliseconds/milliseconds`)
    own.set(model, { firstByteMs: Number(firstByteMs), totalMs: Number(totalMs) })
  }
  return {
    retries: config.GATEWAY_RETRIES,
    cacheBytes: config.GATEWAY_CACHE_MB * 1024 * 1024,
    longestMs: Math.max(common.totalMs, ...[...own.values()].map(({ totalMs }) => totalMs)),
    deadlinesOf: modelId => own.get(modelId) ?? common,
    named: [...own.keys()],
  }
}
