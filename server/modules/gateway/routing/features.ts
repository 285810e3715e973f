import { CLASS, CLASS_COUNT, classTable } from './characters.ts'
import { KEYWORD_GROUPS, keywordTable } from './keywords.ts'

/** Trigrams of characters and bigrams of words have this many weights each in every form, by their hash. */
const SLOT_BITS = 17
export const SLOTS = 1 << SLOT_BITS

/**
 * What the form of a text says about its origin: open text, a choice of answers, a programming contest, a word problem. The
 * same words mean something else in each, so n-grams and a second set of dense weights are separate for each form.
 */
export const FORMS = ['open', 'choice', 'contest', 'quantity'] as const

/** Hand-crafted features, in the order of their weights. */
export const DENSE_NAMES: readonly string[] = [
  'length',
  'words',
  'numbers',
  'longest number',
  'sentences',
  'sentence length',
  'questions',
  'lines',
  'commas',
  'quotes',
  'brackets',
  'operators',
  'formulas',
  'percentages',
  'word length',
  'long words',
  'distinct trigrams',
  'capitals',
  'digits',
  'ideographs',
  'other scripts',
  'code block',
  'ends with a question',
  'turns',
  'tool results',
  ...KEYWORD_GROUPS.map(group => `words: ${group}`),
]

/** A set of hashed features, each counted once. Valid until the next text. */
export class SlotSet {
  readonly slots = new Uint32Array(SLOTS)
  readonly #stamps = new Uint8Array(SLOTS)
  #stamp = 0
  size = 0

  clear(): void {
    this.size = 0
    this.#stamp = (this.#stamp + 1) & 255
    if (this.#stamp > 0) return
    this.#stamps.fill(0)
    this.#stamp = 1
  }

  add(hash: number): void {
    const slot = Math.imul(hash, 0x85ebca6b) >>> (32 - SLOT_BITS)
    if (this.#stamps[slot] === this.#stamp) return
    this.#stamps[slot] = this.#stamp
    this.slots[this.size++] = slot
  }
}

/** Counts of one text. */
interface Counts {
  words: number
  longWords: number
  numbers: number
  longestNumber: number
  capitals: number
}

const SEED = 0x1a2b3c
const PRIME = 0x01000193
/** Marks the beginning and the end of a word in trigrams. */
const EDGE = 1
const hashWord = (word: string): number =>
  Array.from(word).reduce((hash, character) => Math.imul(hash ^ character.charCodeAt(0), PRIME), SEED)

/** Extracts the features of texts. Its arrays are used again for the next text, so that a decision allocates little. */
export class Extractor {
  readonly dense = new Float64Array(DENSE_NAMES.length)
  readonly trigrams = new SlotSet()
  readonly bigrams = new SlotSet()
  form = 0
  readonly #classes = classTable()
  readonly #keywords = keywordTable(hashWord)
  readonly #byClass = new Float64Array(CLASS_COUNT)
  readonly #byGroup = new Float64Array(KEYWORD_GROUPS.length)
  #previous = 0

  /** `length` is that of the whole conversation, of which `text` may be an excerpt. */
  extract(text: string, { length = text.length, turns = 1, toolResults = 0 } = {}): void {
    this.form = formOf(text)
    this.#previous = 0
    this.trigrams.clear()
    this.bigrams.clear()
    this.#byClass.fill(0)
    this.#byGroup.fill(0)
    this.#describe(text, length, this.#scan(text))
    this.#set(DENSE_NAMES.indexOf('turns'), log(turns - 1), log(toolResults))
  }

  /** Reads the text once: words with their trigrams and bigrams, classes of characters. */
  #scan(text: string): Counts {
    const counts = { words: 0, longWords: 0, numbers: 0, longestNumber: 0, capitals: 0 }
    const lower = text.toLowerCase()
    const byClass = this.#byClass
    let hash = SEED
    let length = 0
    let digits = 0
    let before = EDGE
    let last = EDGE
    for (let at = 0; at < lower.length; at++) {
      const code = lower.charCodeAt(at)
      if (code !== text.charCodeAt(at)) counts.capitals++
      const kind = this.#classes[code] ?? CLASS.other
      byClass[kind] = (byClass[kind] ?? 0) + 1
      if (kind <= CLASS.digit) {
        if (kind === CLASS.digit) digits++
        if (length > 0) this.#addTrigram(before, last, code)
        before = last
        last = code
        length++
        // All numbers are one word.
        hash = Math.imul(hash ^ (kind === CLASS.digit ? 48 : code), PRIME)
        continue
      }
      if (length > 0) {
        this.#addTrigram(before, last, EDGE)
        this.#endWord(counts, digits === length ? 48 : hash, length, digits)
        hash = SEED
        length = 0
        digits = 0
        before = EDGE
        last = EDGE
      }
      if (kind > CLASS.newline) this.#addWord(code)
    }
    if (length > 0) {
      this.#addTrigram(before, last, EDGE)
      this.#endWord(counts, digits === length ? 48 : hash, length, digits)
    }
    return counts
  }

  #addTrigram(first: number, second: number, third: number): void {
    const hash = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca77) ^ third
    this.trigrams.add(Math.imul(hash, 0xc2b2ae3d))
  }

  #addWord(word: number): void {
    if (this.#previous !== 0) this.bigrams.add(Math.imul(this.#previous, 0x5bd1e995) ^ word)
    this.#previous = word
  }

  #endWord(counts: Counts, word: number, length: number, digits: number): void {
    counts.words++
    if (length >= 8) counts.longWords++
    if (digits > 0) {
      counts.numbers++
      if (digits > counts.longestNumber) counts.longestNumber = digits
    }
    const group = this.#keywords.get(word)
    if (group !== undefined) this.#byGroup[group] = (this.#byGroup[group] ?? 0) + 1
    this.#addWord(word)
  }

  #describe(text: string, wholeLength: number, counts: Counts): void {
    const of = (kind: number) => this.#byClass[kind] ?? 0
    const chars = Math.max(1, text.length)
    // An ideograph says about as much as three letters.
    const weight = 1 + (2 * of(CLASS.ideograph)) / chars
    const words = counts.words + of(CLASS.ideograph) / 2 + 1
    const sentences = of(CLASS.stop) + of(CLASS.question)
    this.#set(
      0,
      log(wholeLength * weight),
      log(words),
      log(counts.numbers),
      counts.longestNumber,
      log(sentences),
      log((chars * weight) / (sentences + 1)),
      log(of(CLASS.question)),
      log(of(CLASS.newline)),
      log(of(CLASS.comma)),
      log(of(CLASS.quote)),
      log(of(CLASS.bracket)),
      log(of(CLASS.operator)),
      log(of(CLASS.latex)),
      log(of(CLASS.percent)),
      (chars * weight) / words,
      counts.longWords / words,
      log(this.trigrams.size / words),
      counts.capitals / chars,
      of(CLASS.digit) / chars,
      of(CLASS.ideograph) / chars,
      of(CLASS.otherScript) / chars,
      text.includes('```') ? 1 : 0,
      /[?？؟]\s*$/.test(text.slice(-4)) ? 1 : 0,
    )
    this.#set(DENSE_NAMES.length - KEYWORD_GROUPS.length, ...this.#byGroup.map(log))
  }

  #set(from: number, ...values: readonly number[]): void {
    this.dense.set(values, from)
  }
}

const log = (count: number): number => Math.log(1 + Math.max(0, count))

const CHOICE = /\n\(?a[.):][^\n]{0,2000}\n\(?b[.):]/i
const ASKS = /\b(?:how|what|find|calculate|determine|compute)\b/i
const FORMULA = /\\(?!boxed)|[{}]|\$\w+\$/
const NUMBER =
  /\d[\d.,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|twice|third|quarter|dozen)\b/i

function formOf(text: string): number {
  if (CHOICE.test(text)) return FORMS.indexOf('choice')
  if (text.length > 400 && /\binput\b/i.test(text) && /\boutput\b/i.test(text))
    return FORMS.indexOf('contest')
  return isWordProblem(text) ? FORMS.indexOf('quantity') : FORMS.indexOf('open')
}

/** A question in prose with two numbers or more. */
function isWordProblem(text: string): boolean {
  if (text.length < 60 || text.length > 1200 || !ASKS.test(text) || FORMULA.test(text)) return false
  if (text.includes('\n\n') || text.split('\n', 4).length > 3) return false
  const first = NUMBER.exec(text)
  return first !== null && NUMBER.test(text.slice(first.index + first[0].length))
}
