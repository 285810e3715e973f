const SECRET_NAME =
  /(?:secret|token|password|passwd|passphrase|authorization|cookie|api[-_]?key|private[-_]?key|credential|signature)/i
/**
 * JSON Web Tokens. What only begins like one matches too and stays, so that no search begins again within it: the time
 * stays linear.
 */
const TOKEN = /\beyJ[\w-]{8,}(\.[\w-]{8,}\.[\w-]*)?/g
/** Keys of this service and of well-known ones by their prefixes, and PEM keys. */
const KEY =
  /\b(?:sa|sk|rk|pk|ghp|gho|xox[abp])[_-][A-Za-z0-9_-]{16,}|\bwhsec_[A-Za-z0-9+/=]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g
const REDACTED = '[redacted]'

export const redactText = (text: string | null): string | null =>
  text &&
  text
    .replaceAll(TOKEN, (found, rest?: string) => (rest === undefined ? found : REDACTED))
    .replaceAll(KEY, REDACTED)

/** JSON with every value that looks like a secret, by its name or its form, replaced. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redact)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      SECRET_NAME.test(name) && each !== null ? REDACTED : redact(each),
    ]),
  )
}
