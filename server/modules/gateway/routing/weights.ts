import { readFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { Fitted, Vocabulary } from './linear.ts'

/** As `bin/fit-router.ts` writes them. A weight of an n-gram is one byte, compressed with the others; `scale` is the value of one step. */
export interface StoredWeights {
  mean: number[]
  deviation: number[]
  bias: number[]
  dense: number[]
  trigrams: { scale: number; bytes: string }
  bigrams: { scale: number; bytes: string }
}

export const WEIGHTS_FILE = new URL('./weights.json', import.meta.url)

export function readWeights(): Fitted {
  const stored: StoredWeights = JSON.parse(readFileSync(WEIGHTS_FILE, 'utf8'))
  return { ...stored, trigrams: unpack(stored.trigrams), bigrams: unpack(stored.bigrams) }
}

const unpack = ({ scale, bytes }: StoredWeights['trigrams']): Vocabulary => ({
  scale,
  steps: new Int8Array(brotliDecompressSync(Buffer.from(bytes, 'base64'))),
})

/** Rounds weights to one byte each. */
export function pack({ scale, steps }: Vocabulary): StoredWeights['trigrams'] {
  const weights = Array.from(steps, step => step * scale)
  const most = weights.reduce((sofar, value) => Math.max(sofar, Math.abs(value)), 1e-9)
  const bytes = Int8Array.from(weights, value => Math.round((value / most) * 127))
  return { scale: most / 127, bytes: brotliCompressSync(Buffer.from(bytes.buffer)).toString('base64') }
}
