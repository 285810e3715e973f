import type { ChatMessage, ContentPart } from '../core/chat.ts'

/**
 * Personal data by its form. Names and addresses have none, so they stay. The order matters: a card number is no telephone
 * number.
 */
const FORMS: readonly (readonly [name: string, pattern: RegExp, isIt?: (found: string) => boolean])[] = [
  ['EMAIL', /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g],
  ['IBAN', /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g, isIban],
  ['CARD', /\b\d(?:[ -]?\d){12,18}\b/g, isCardNumber],
  ['SSN', /\b(?!000|666|9\d\d)\d{3}-(?!00)\d\d-(?!0000)\d{4}\b/g],
  ['IP', /\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b/g],
  ['PHONE', /(?<![\w.])(?:\+\d{1,3}[ .-]?)(?:\(?\d{1,4}\)?[ .-]?){2,5}\d{2,4}(?!\w)/g, isPhoneNumber],
  ['PHONE', /(?<![\w.-])\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?![\w-])/g],
]

/** Replaces personal data in a text by the name of its form, such as `[EMAIL]`. */
export function redactText(text: string): string {
  let redacted = text
  for (const [name, pattern, isIt] of FORMS)
    redacted = redacted.replace(pattern, found => (isIt && !isIt(found) ? found : `[${name}]`))
  return redacted
}

/** The messages without personal data in their texts, tool calls and tool results. Images stay as they are. */
export const redactMessages = (messages: readonly ChatMessage[]): ChatMessage[] =>
  messages.map(message => ({
    ...message,
    ...(typeof message.content === 'string' ? { content: redactText(message.content) } : {}),
    ...(Array.isArray(message.content) ? { content: message.content.map(redactPart) } : {}),
    ...(message.tool_calls
      ? {
          tool_calls: message.tool_calls.map(call => ({
            ...call,
            function: { ...call.function, arguments: redactText(call.function.arguments) },
          })),
        }
      : {}),
  }))

const redactPart = (part: ContentPart): ContentPart =>
  part.type === 'text' && 'text' in part && typeof part.text === 'string'
    ? { ...part, text: redactText(part.text) }
    : part

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

function isPhoneNumber(found: string): boolean {
  const digits = found.replaceAll(/\D/g, '').length
  return digits >= 8 && digits <= 15
}
