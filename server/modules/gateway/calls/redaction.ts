import { isRecord } from '#platform/kernel/unknown'
import type { ChatRequest } from '../core/chat.ts'

/**
 * Personal data by its form. Names and addresses have none, so they stay. The order matters: a card number is no telephone
 * number. No pattern can divide a text among its parts in several ways: texts may have 20 MiB, and are redacted before
 * anything is paid.
 */
const FORMS: readonly (readonly [name: string, pattern: RegExp, isIt?: (found: string) => boolean])[] = [
  ['EMAIL', /(?<![\w.+-])[\w.+-]+@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g],
  ['IBAN', /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g, isIban],
  ['CARD', /\b\d(?:[ -]?\d){12,18}\b/g, isCardNumber],
  ['SSN', /\b(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}\b/g],
  ['IP', /\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b/g],
  // With a country code: 8 to 15 digits (ITU-T E.164).
  ['PHONE', /(?<![\w.])\+\d(?:[ ().-]{0,2}\d){7,14}(?!\w)/g],
  ['PHONE', /(?<![\w.-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])/g],
]

/** Replaces personal data in a text by the name of its form, such as `[EMAIL]`. */
export function redactText(text: string): string {
  let redacted = text
  for (const [name, pattern, isIt] of FORMS)
    redacted = redacted.replace(pattern, found => (isIt && !isIt(found) ? found : `[${name}]`))
  return redacted
}

/**
 * The request without personal data in its messages and its prediction: texts, thoughts, names, tool calls and tool results.
 */
export function redactRequest(request: ChatRequest): ChatRequest {
  const { messages, prediction } = request
  return {
    ...request,
    messages: messages.map(redactFields),
    ...(prediction === undefined ? {} : { prediction: redactValue(prediction) }),
  }
}

/** What is no text of a person, or must come back as it was given. */
const AS_SENT: ReadonlySet<string> = new Set([
  'role',
  'type',
  'id',
  'tool_call_id',
  'image_url',
  'cache_control',
  'extra_content',
])

function redactFields<T extends object>(fields: T): T {
  if (isSealed(fields)) return fields
  const redacted = Object.entries(fields).map(([key, value]: [string, unknown]) => {
    if (AS_SENT.has(key)) return [key, value]
    return [key, key === 'arguments' && typeof value === 'string' ? redactJson(value) : redactValue(value)]
  })
  return Object.fromEntries(redacted) as T
}

function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redactValue)
  return isRecord(value) ? redactFields(value) : value
}

/** A thought that its provider has signed: with another text it would be refused. */
function isSealed(block: object): boolean {
  const { type, signature }: { type?: unknown; signature?: unknown } = block
  return (
    type === 'redacted_thinking' || (type === 'thinking' && typeof signature === 'string' && signature !== '')
  )
}

const JSON_SCALARS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** Replaces within the strings and numbers of a JSON text, so that it stays one. Parsed numbers would be rounded. */
function redactJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return redactText(text)
  }
  return text.replace(JSON_SCALARS, found => {
    if (!found.startsWith('"')) return /^\d{13,19}$/.test(found) && isCardNumber(found) ? '"[CARD]"' : found
    const value = String(JSON.parse(found))
    const redacted = redactText(value)
    return redacted === value ? found : JSON.stringify(redacted)
  })
}

/** The check digit of Luhn (ISO/IEC 7812). */
function isCardNumber(found: string): boolean {
  const digits = found.replaceAll(/\D/g, '')
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return digits.length >= 13 && sum % 10 === 0
}

/** ISO 13616: the remainder by 97 is 1. */
function isIban(found: string): boolean {
  const compact = found.replaceAll(' ', '')
  if (compact.length < 15 || compact.length > 34) return false
  const rotated = compact.slice(4) + compact.slice(0, 4)
  let remainder = 0
  for (const char of rotated)
    for (const digit of String(Number.parseInt(char, 36))) remainder = (remainder * 10 + Number(digit)) % 97
  return remainder === 1
}
