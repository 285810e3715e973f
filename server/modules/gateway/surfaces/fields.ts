import { invalid } from '#platform/kernel/errors'

/** Without the keys that have no value: a provider may refuse a null. */
export const presentFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

/** 400 if a field that the kind of the object needs is missing. */
export function requireField<T>(value: T | null | undefined, path: string): T {
  if (value === undefined || value === null) throw invalid(`${path} is required`)
  return value
}
