/**
 * A text that fits a regular expression of a schema, made by reading the pattern. Patterns come from callers, so none is
 * ever executed. Lookarounds and back references are ignored.
 */
export function textOfPattern(pattern: string): string {
  return new PatternReader(pattern).alternatives()
}

const MAX_REPEAT = 100
const MAX_DEPTH = 20
const MAX_TEXT = 2000
const CLASSES: Readonly<Record<string, string>> = { d: '1', w: 'a', s: ' ', D: 'a', W: '-', S: 'a' }
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '', B: '' }
// What a negated class such as [^,] may be given, the first one outside of it.
const CANDIDATES = ['a', 'A', '1', ' ', '-', '_', '.', ',', ';', 'x']

class PatternReader {
  readonly #pattern: string
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** The first alternative; the others are read over. */
  alternatives(): string {
    let first: string | null = null
    for (;;) {
      const text = this.#sequence()
      first ??= text
      if (this.#peek() !== '|') return first
      this.#at += 1
    }
  }

  #sequence(): string {
    let text = ''
    while (this.#at < this.#pattern.length && this.#peek() !== '|' && this.#peek() !== ')') {
      const atom = this.#atom()
      text = (text + atom.repeat(this.#count())).slice(0, MAX_TEXT)
    }
    return text
  }

  #atom(): string {
    const char = this.#next()
    if (char === '^' || char === '$') return ''
    if (char === '.') return 'a'
    if (char === '[') return this.#class()
    if (char === '(') return this.#group()
    if (char === '\\') return this.#escape(this.#next())
    return char
  }

  #escape(char: string): string {
    const coded = { u: 4, x: 2 }[char]
    if (coded) {
      const code = Number.parseInt(this.#pattern.slice(this.#at, this.#at + coded), 16)
      this.#at += coded
      return Number.isNaN(code) ? char : String.fromCharCode(code)
    }
    return CLASSES[char] ?? CONTROLS[char] ?? char
  }

  #class(): string {
    const negated = this.#peek() === '^'
    if (negated) this.#at += 1
    const members = new Set<string>()
    const ranges: [string, string][] = []
    while (this.#at < this.#pattern.length && this.#peek() !== ']') {
      const from = this.#member()
      if (this.#peek() === '-' && this.#pattern[this.#at + 1] !== ']') {
        this.#at += 1
        ranges.push([from, this.#member()])
      }
      members.add(from)
    }
    this.#at += 1
    if (!negated) return members.values().next().value ?? ''
    const isIn = (char: string) =>
      members.has(char) || ranges.some(([from, to]) => char >= from && char <= to)
    return CANDIDATES.find(char => !isIn(char)) ?? ''
  }

  #member(): string {
    const char = this.#next()
    return char === '\\' ? this.#escape(this.#next()) : char
  }

  #group(): string {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) {
      this.#at = this.#pattern.length
      return ''
    }
    const rest = this.#pattern.slice(this.#at)
    const opening = /^\?(?:[=!]|<[=!]|:|<[^>]*>)/.exec(rest)?.[0] ?? ''
    this.#at += opening.length
    const text = this.alternatives()
    this.#at += 1
    this.#depth -= 1
    return /^\?<?[=!]/.test(opening) ? '' : text
  }

  /** How often the atom before is repeated: the least that its quantifier allows. */
  #count(): number {
    const quantifier = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(this.#pattern.slice(this.#at, this.#at + 24))
    if (!quantifier) return 1
    this.#at += quantifier[0].length
    if (quantifier[1] !== undefined) return Math.min(Number(quantifier[1]), MAX_REPEAT)
    return quantifier[0][0] === '+' ? 1 : 0
  }

  #peek(): string | undefined {
    return this.#pattern[this.#at]
  }

  #next(): string {
    const char = this.#pattern[this.#at] ?? ''
    this.#at += 1
    return char
  }
}
