/**
 * What no name holds: control characters and line ends, halves of characters, what turns the reading direction of the text
 * around it (embeddings, overrides, isolates), and what shows nothing (spaces without width, fillers, tags outside of flags).
 * Joiners (emoji, Persian, Indic scripts), marks of direction (Arabic, Hebrew), variation selectors and combining marks
 * belong to real names.
 */
const REFUSED = new RegExp(
  [
    String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]`,
    String.raw`[\u00AD\u115F\u1160\u180E\u200B\u202A-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF0-\uFFFB]`,
    String.raw`\u034F|\u17B4|\u17B5|[\u180B-\u180D]|[\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}]`,
    String.raw`[\u{E0000}-\u{E00FF}]`,
  ].join('|'),
  'gu',
)
/** The flag of a region: a black flag, the tags of the region's code, the end tag. Bounded, so that the search stays linear. */
const FLAG = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,16}\u{E007F}/gu
const FLAG_OR_REFUSED = new RegExp(`${FLAG.source}|${REFUSED.source}`, 'gu')
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
/** Marks heaped on one letter run over the lines around it; no script needs so many. */
const HEAPED = /\p{M}{9}/u

/** Longer input is refused unread. Names have at most 100 characters; trimming may remove the rest. */
const LONGEST = 1000

/** True if the name is visible and free of characters that hide or turn text. Time is linear in the length. */
export function isDisplayName(text: string): boolean {
  if (text.length > LONGEST) return false
  return text.replaceAll(FLAG, '\u{1F3F4}').search(REFUSED) < 0 && VISIBLE.test(text) && !HEAPED.test(text)
}

/** The stored form of a name. */
export const tidyName = (text: string): string => text.normalize('NFC').trim()

/** A name that somebody else's system gave, made one of ours; undefined when nothing of it shows. */
export function nameFrom(text: string | undefined): string | undefined {
  const given = (text ?? '').slice(0, LONGEST).toWellFormed()
  const visible = tidyName(given.replaceAll(FLAG_OR_REFUSED, found => (found.length > 2 ? found : '')))
  const name = tidyName(Array.from(visible).slice(0, 100).join(''))
  return isDisplayName(name) ? name : undefined
}

export const NAME_RULE =
  'must show: a letter, digit or sign at least, and no control characters, line breaks or characters that hide or turn text'
