/** Narrowing of values whose type is unknown, in place of casts. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What was thrown, as an Error. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown))

/** The text property `name` of an error, such as `code` or `constraint`; empty if there is none. */
export function textOf(
  error: unknown,
  name: 'code' | 'constraint' | 'hostname' | 'name' | 'routine',
): string {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined
  return typeof value === 'string' ? value : ''
}
