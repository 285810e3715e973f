import { invalid } from '#platform/kernel/errors'

const BYTES_MAX = 64 * 1024

/** Free JSON that answers and lists repeat: at most 64 KiB, else 400. Null where there is none. */
export function limitJsonSize<T>(value: T | undefined, field: string): T | null {
  if (value === undefined || value === null) return null
  if (JSON.stringify(value).length > BYTES_MAX) throw invalid(`${field} must not be larger than 64 KiB`)
  return value
}
