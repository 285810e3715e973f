/** A parameter as it is sent: text, or bytes for a bytea. */
export type WireValue = string | Buffer | null

/** A parameter of a statement for the server, which knows its type. Objects become JSON. */
export function toWire(value: unknown): WireValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return value
  return Array.isArray(value) ? arrayLiteral(value) : JSON.stringify(value)
}

const arrayLiteral = (values: readonly unknown[]): string => `{${values.map(element).join(',')}}`

function element(value: unknown): string {
  if (Array.isArray(value)) return arrayLiteral(value)
  const sent = toWire(value)
  if (sent === null) return 'NULL'
  const text = typeof sent === 'string' ? sent : `\\x${sent.toString('hex')}`
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
