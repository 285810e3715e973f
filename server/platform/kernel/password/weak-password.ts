import { createRequire } from 'node:module'
import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/** Fewer guesses than this are within reach of an online attack (zxcvbn scores 0 and 1). */
const WEAK_GUESSES = 1e6
/** Characters that are evaluated: the time grows faster than the length, and a strong start is enough. */
const LENGTH_MAX = 64
/** Shorter parts of addresses and names say nothing. */
const PART_MIN = 3

let estimator: ZxcvbnFactory | undefined

/**
 * Whether a password is among the first million that a guesser tries: common passwords and words with their usual
 * changes, keyboard rows, repetitions, dates, and the `about` texts of the account (addresses, names).
 */
export function isWeakPassword(password: string, about: readonly string[] = []): boolean {
  const text = fold(password)
  const parts = [...new Set(about.flatMap(partsOf))]
  if (parts.includes(text.toLowerCase())) return true
  estimator ??= loadEstimator()
  return estimator.check(Array.from(text).slice(0, LENGTH_MAX).join(''), parts).guesses < WEAK_GUESSES
}

// The dictionaries take 27 MB and are needed only where a password is set. Not by import(), because the configuration is
// checked synchronously.
function loadEstimator(): ZxcvbnFactory {
  const require = createRequire(import.meta.url)
  const core: typeof import('@zxcvbn-ts/core') = require('@zxcvbn-ts/core')
  const common: typeof import('@zxcvbn-ts/language-common') = require('@zxcvbn-ts/language-common')
  return new core.ZxcvbnFactory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs })
}

const fold = (text: string): string => text.normalize('NFKC')

/** An address with its local part and host, a name with its words. */
function partsOf(about: string): string[] {
  const text = fold(about).toLowerCase()
  return [
    text,
    ...text.split(/[@\s]+/),
    ...text.split(/[^\p{L}\p{N}]+/u),
    text.replaceAll(/[^\p{L}\p{N}]/gu, ''),
  ].filter(part => part.length >= PART_MIN)
}
