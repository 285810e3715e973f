import { KEYWORD_GROUPS, keywordTable } from './keywords.ts'

/** N-grams share this many weights by their hash. */
export const HASH_BITS = 16
const TABLE = 1 << HASH_BITS

/** What the surface of a text says about its origin: vocabulary means different things in each. */
export const FORMS = ['open', 'choice', 'contest', 'quantity'] as const

/** Counts of the text that features are made of. */
const COUNTS = [
  'chars',
  'words',
  'lines',
  'sentences',
  'questions',
  'numbers',
  'digits',
  'latex',
  'operators',
  'brackets',
  'commas',
  'quotes',
  'capitals',
  'longWords',
  'ideographs',
  'otherScripts',
] as const
type Count = (typeof COUNTS)[number]

/** Hand-crafted features, in the order of their weights. */
export const DENSE_NAMES: readonly string[] = [
  'bias',
  'length',
  'words',
  'lines',
  'sentences',
  'questions',
  'numbers',
  'digitShare',
  'latex',
  'operators',
  'brackets',
  'commas',
  'quotes',
  'capitalShare',
  'wordLength',
  'longWords',
  'longestNumber',
  'ideographs',
  'otherScripts',
  'code',
  'asksAtEnd',
  'lengthSquared',
  'turns',
  'toolResults',
  ...KEYWORD_GROUPS.map(group => `words:${group}`),
]

/** The features of one text: dense values, and the slots of its distinct n-grams. Valid until the next call. */
export interface Features {
  form: number
  dense: Float64Array
  slots: Int32Array
  slotCount: number
}

/** Extracts features without allocation: the arrays are used again for the next text. */
export class Extractor {
  readonly #stamps = new Uint32Array(TABLE)
  #stamp = 0
  #slots = new Int32Array(TABLE)
  #slotCount = 0
  readonly #groups = new Float64Array(KEYWORD_GROUPS.length)
  readonly #keywords = keywordTable(hashWord)
  readonly #dense = new Float64Array(DENSE_NAMES.length)
  #salt = 0

  extract(text: string, turns = 1, toolResults = 0): Features {
    const form = formOf(text)
    this.#salt = Math.imul(form + 1, 0x9e3779b1)
    this.#slotCount = 0
    this.#stamp++
    this.#groups.fill(0)
    const counts = this.#scan(text)
    this.#fill(text, counts, { turns, toolResults })
    return { form, dense: this.#dense, slots: this.#slots, slotCount: this.#slotCount }
  }

  #add(hash: number): void {
    const slot = Math.imul(hash ^ this.#salt, 0x85ebca6b) >>> (32 - HASH_BITS)
    if (this.#stamps[slot] === this.#stamp) return
    this.#stamps[slot] = this.#stamp
    this.#slots[this.#slotCount++] = slot
  }

  #scan(text: string): Record<Count, number> & { longestNumber: number } {
    const c = {
      chars: text.length,
      words: 0,
      lines: 1,
      sentences: 0,
      questions: 0,
      numbers: 0,
      digits: 0,
      latex: 0,
      operators: 0,
      brackets: 0,
      commas: 0,
      quotes: 0,
      capitals: 0,
      longWords: 0,
      ideographs: 0,
      otherScripts: 0,
      longestNumber: 0,
    }
    let word = SEED
    let length = 0
    let previous = 0
    let g1 = 0,
      g2 = 0,
      g3 = 0
    let digitsInRow = 0
    for (let at = 0; at <= text.length; at++) {
      let code = at < text.length ? text.charCodeAt(at) : 32
      if (code >= 65 && code <= 90) {
        c.capitals++
        code += 32
      }
      const isDigit = code >= 48 && code <= 57
      if (isDigit) {
        c.digits++
        digitsInRow++
      } else if (digitsInRow > 0) {
        c.numbers++
        if (digitsInRow > c.longestNumber) c.longestNumber = digitsInRow
        digitsInRow = 0
      }
      const isIdeograph = code >= 0x3040 && code <= 0x9fff
      if (
        !isIdeograph &&
        (isDigit ||
          (code >= 97 && code <= 122) ||
          (code >= 0xc0 &&
            code !== 0xd7 &&
            !(code >= 0x2000 && code <= 0x303f) &&
            !(code >= 0xff00 && code <= 0xff20)))
      ) {
        word = Math.imul(word ^ code, 0x01000193)
        length++
        if (code > 0x24f) c.otherScripts++
        if (CHAR_GRAMS && length >= 3)
          this.#add(
            Math.imul(Math.imul(Math.imul(g2 + 7, 0x01000193) ^ g1, 0x01000193) ^ code, 0x2545f491) +
              (length === 3 ? 1 : 0),
          )
        if (CHAR_GRAMS && length >= 4)
          this.#add(
            Math.imul(
              Math.imul(Math.imul(Math.imul(g3 + 3, 0x01000193) ^ g2, 0x01000193) ^ g1, 0x01000193) ^ code,
              0x2545f491,
            ),
          )
        g3 = g2
        g2 = g1
        g1 = code
        continue
      }
      if (length > 0) {
        c.words++
        if (length >= 8) c.longWords++
        this.#add(word)
        if (previous !== 0) this.#add(Math.imul(previous, 0x5bd1e995) ^ word)
        const groups = this.#keywords.get(word)
        if (groups) for (const group of groups) this.#groups[group] = (this.#groups[group] ?? 0) + 1
        previous = word
        word = SEED
        length = 0
      }
      if (isIdeograph) {
        c.ideographs++
        const single = Math.imul(SEED ^ code, 0x01000193)
        this.#add(single)
        if (previous !== 0) this.#add(Math.imul(previous, 0x5bd1e995) ^ single)
        previous = single
        continue
      }
      switch (code) {
        case 10:
          c.lines++
          break
        case 63:
        case 0xff1f:
        case 0x61f:
          c.questions++
          c.sentences++
          break
        case 46:
        case 33:
        case 0x3002:
          c.sentences++
          break
        case 36:
        case 92:
          c.latex++
          break
        case 43:
        case 61:
        case 42:
        case 47:
        case 94:
        case 60:
        case 62:
        case 37:
          c.operators++
          break
        case 40:
        case 91:
        case 123:
        case 125:
          c.brackets++
          break
        case 44:
        case 0x3001:
        case 59:
        case 0xff0c:
          c.commas++
          break
        case 34:
        case 39:
        case 96:
          c.quotes++
          break
      }
    }
    return c
  }

  #fill(
    text: string,
    c: Record<Count, number> & { longestNumber: number },
    more: { turns: number; toolResults: number },
  ): void {
    const chars = Math.max(1, c.chars)
    const words = Math.max(1, c.words + c.ideographs / 2)
    const length = Math.log(chars + c.ideographs * 2) / 5 - 1
    const values = [
      1,
      length,
      Math.log(words) / 3 - 1,
      log(c.lines),
      log(c.sentences),
      log(c.questions),
      log(c.numbers),
      (c.digits / chars) * 5,
      log(c.latex),
      log(c.operators),
      log(c.brackets),
      log(c.commas),
      log(c.quotes),
      (c.capitals / chars) * 5,
      c.words > 0 ? (chars - c.ideographs) / words / 6 - 1 : 0,
      (c.longWords / words) * 3,
      Math.min(4, c.longestNumber / 3),
      c.ideographs / chars,
      c.otherScripts / chars,
      text.includes('```') ? 1 : 0,
      /[?？]\s*$/.test(text.slice(-5)) ? 1 : 0,
      length * length,
      log(more.turns - 1),
      log(more.toolResults),
    ]
    this.#dense.set(values)
    for (let g = 0; g < this.#groups.length; g++) this.#dense[values.length + g] = log(this.#groups[g] ?? 0)
  }
}

export let CHAR_GRAMS = true
export const setCharGrams = (x: boolean) => {
  CHAR_GRAMS = x
}

const SEED = 0x811c9dc5 | 0
const log = (count: number): number => Math.log(1 + count) / 2

function hashWord(word: string): number {
  let hash = SEED
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  return hash
}

function formOf(text: string): number {
  if (/\n\(?[A-D][.):][^\n]*\n\(?[B-E][.):]/.test(text)) return 1
  if (/\bInput\b/i.test(text) && /\bOutput\b/i.test(text) && text.length > 400) return 2
  if (
    /\bhow (?:many|much|long|far|old)\b|\bwhat (?:is|was) the (?:total|average|percent)/i.test(text) &&
    /\d/.test(text)
  )
    return 3
  return 0
}
