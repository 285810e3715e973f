import { createHash } from 'node:crypto'
import type { TokenUsage } from '../../core/model.ts'
import { wordsOf } from './tokens.ts'

const DIMENSIONS = 1536

/** Vectors of length 1 that depend on their text alone. Inputs are a text, texts, tokens, or lists of tokens. */
export function simulateEmbeddings(
  modelId: string,
  body: Record<string, unknown> & { input: unknown },
): { body: Record<string, unknown>; usage: TokenUsage } {
  const inputs = inputsOf(body.input)
  const size = typeof body.dimensions === 'number' ? body.dimensions : DIMENSIONS
  const input = inputs.reduce((sum, { tokens }) => sum + tokens, 0)
  const data = inputs.map(({ text }, index) => {
    const vector = vectorOf(text, size)
    const embedding = body.encoding_format === 'base64' ? base64Of(vector) : vector
    return { object: 'embedding', index, embedding }
  })
  return {
    body: { object: 'list', data, model: modelId, usage: { prompt_tokens: input, total_tokens: input } },
    usage: { input, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  }
}

function inputsOf(input: unknown): { text: string; tokens: number }[] {
  const list: unknown[] = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input]
  return list.map(each =>
    Array.isArray(each)
      ? { text: each.join(' '), tokens: each.length }
      : { text: String(each), tokens: Math.max(wordsOf(String(each)), 1) },
  )
}

function vectorOf(text: string, size: number): number[] {
  const values: number[] = []
  // The text once: it may be long, and a vector takes many blocks.
  const seed = createHash('sha256').update(text).digest()
  for (let block = 0; values.length < size; block += 1)
    for (const byte of createHash('sha256').update(seed).update(`${block}`).digest())
      values.push(byte / 127.5 - 1)
  values.length = size
  const length = Math.hypot(...values) || 1
  return values.map(value => value / length)
}

const base64Of = (vector: number[]): string => Buffer.from(new Float32Array(vector).buffer).toString('base64')
