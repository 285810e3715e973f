import { COMMON_WORDS } from './common-words.ts'

/** What a guesser tries before anything else: rows and columns of keyboards, letters and digits in order. */
const WALKS = [
  '01234567890', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'yxcvbnm',
  'azertyuiop', 'qsdfghjklm', 'wxcvbn', '!@#$%^&*()', '1qaz2wsx3edc4rfv5tgb6yhn7ujm', '!qaz@wsx#edc$rfv',
  'zaqxswcdevfrbgtnhymju', 'qazwsxedcrfvtgbyhnujm', '1q2w3e4r5t6y7u8i9o0p', 'q1w2e3r4t5y6u7i8o9p0', 'a1b2c3d4e5f6',
  '1a2b3c4d5e6f', 'a1s2d3f4g5', '147258369', '741852963', '159753', '159357', '123654789', '321654987', '789456123',
  '1357924680', '2468013579', '6yhn5tgb4rfv3edc2wsx1qaz', '123321', '112358132134',
].flatMap(walk => [walk, Array.from(walk).reverse().join('')])
const WALK_MIN = 3
const WORD_MAX = 32
/** Beyond it nothing is made of so few parts, but one that is repeated. */
const LENGTH_MAX = 64

/** A word, a walk, a repetition or a year is worth two free characters: it is in every list. */
const KNOWN = 2
/** Worth no more than this, a password falls to the lists of common ones and their usual endings. */
const WEAK = 5

// What people write for a letter. `1` is i or l, so that there are two readings.
const LEET: Record<string, string> = { '@': 'a', '4': 'a', '3': 'e', '0': 'o', $: 's', '5': 's', '7': 't', '+': 't', '8': 'b', '!': 'i' }
const readings = (text: string): string[] =>
  ['i', 'l'].map(one => text.replaceAll(/[@430$57+8!1]/g, char => LEET[char] ?? one))

/**
 * Whether a password is among the first that a guesser tries: a common word or two, walks over the keyboard, one
 * character or one part again and again, a year, what `about` tells of the account (addresses, names), and a few
 * characters beside. Case, width and letters written as digits make no difference.
 */
export function isWeakPassword(password: string, about: readonly string[] = []): boolean {
  const text = fold(password)
  const words = new Set(about.flatMap(partsOf))
  if (words.has(text)) return true
  const shapes = new Set([text, unitOf(text), withoutDoubles(text)])
  return [...shapes].some(shape => shape.length <= LENGTH_MAX && worthOf(shape, words) <= WEAK)
}

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

/** An address with its local part and host, a name with its words. */
const partsOf = (text: string): string[] =>
  [fold(text), ...fold(text).split(/[@\s]+/), ...fold(text).split(/[^\p{L}\p{N}]+/u), fold(text).replaceAll(/[^\p{L}\p{N}]/gu, '')]
    .filter(part => part.length >= WALK_MIN)

/** What a text repeats: `abcabc` is `abc` and one character for the repetition. */
const unitOf = (text: string): string => text.replace(/^(.+?)\1+$/su, '$1 ')

/** `112233` is `123` and one character for the doubling. */
const withoutDoubles = (text: string): string => (/^(?:(.)\1)+$/su.test(text) ? `${text.replaceAll(/(.)\1/gsu, '$1')} ` : text)

/** The least that a text is worth, however it is taken apart. */
function worthOf(text: string, own: ReadonlySet<string>): number {
  const spellings = [text, ...readings(text)]
  const isWord = (from: number, to: number) =>
    spellings.some(spelling => {
      const word = spelling.slice(from, to)
      return COMMON_WORDS.has(word) || own.has(word)
    })
  const longest = Math.min(LENGTH_MAX, Math.max(WORD_MAX, ...[...own].map(word => word.length)))
  const worth = [0]
  for (let to = 1; to <= text.length; to++) {
    let least = (worth[to - 1] ?? 0) + 1
    for (let from = Math.max(0, to - longest); from <= to - WALK_MIN; from++) {
      const known = (worth[from] ?? 0) + KNOWN
      if (known < least && (isWord(from, to) || isWalk(text.slice(from, to)))) least = known
    }
    const run = runBefore(text, to)
    worth.push(run >= WALK_MIN ? Math.min(least, (worth[to - run] ?? 0) + KNOWN) : least)
  }
  return worth[text.length] ?? 0
}

const isWalk = (text: string): boolean => WALKS.some(walk => walk.includes(text)) || /^(?:19|20)\d\d$/.test(text)

/** How often the character before `to` stands there in a row. */
function runBefore(text: string, to: number): number {
  let from = to
  while (from > 0 && text[from - 1] === text[to - 1]) from--
  return to - from
}
