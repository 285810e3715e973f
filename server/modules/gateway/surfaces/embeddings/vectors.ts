import { isRecord } from '#platform/kernel/unknown'
import type { EmbeddingList, EmbeddingsBody } from './schema.ts'

type Data = EmbeddingList['data']
type Format = NonNullable<EmbeddingsBody['encoding_format']>

/** The vectors of a provider in the form that the caller asked for, or null if they are not what was asked for. */
export function vectorsOf(data: unknown, count: number, format: Format): Data | null {
  if (!Array.isArray(data) || data.length !== count) return null
  const vectors = data.map((each: unknown, index) => {
    const vector = isRecord(each) ? encode(each['embedding'], format) : null
    return vector === null
      ? null
      : { object: 'embedding' as const, index: indexOf(each, index), embedding: vector }
  })
  return vectors.every(vector => vector !== null) ? vectors : null
}

const indexOf = (each: unknown, index: number): number =>
  isRecord(each) && typeof each['index'] === 'number' ? each['index'] : index

/** Not every provider knows both forms. */
function encode(vector: unknown, format: Format): number[] | string | null {
  if (typeof vector === 'string') return format === 'base64' ? vector : decodeFloats(vector)
  if (!Array.isArray(vector) || !vector.length) return null
  const numbers: number[] = vector.filter(value => typeof value === 'number')
  if (numbers.length !== vector.length) return null
  return format === 'float' ? numbers : encodeFloats(numbers)
}

/** 32-bit floats, little-endian (OpenAI). */
function encodeFloats(numbers: readonly number[]): string {
  const bytes = Buffer.alloc(numbers.length * 4)
  for (const [at, number] of numbers.entries()) bytes.writeFloatLE(number, at * 4)
  return bytes.toString('base64')
}

function decodeFloats(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64')
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4))
}
