import type { Random } from '#test'

/** Parts of text that programs handle wrongly. */
const HARD = [
  '\u0000',
  '\u0007',
  '\u202e',
  '\u200b',
  '\ufeff',
  '\u{1f600}',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  'e\u0301\u0327',
  'ß',
  'ı',
  '中文',
  'العربية',
  '\n',
  '\r\n',
  '\t',
  '"',
  "'",
  '\\',
  '`',
  '%00',
  '%s%n',
  '${7*7}',
  '{{7*7}}',
  "' OR 1=1 --",
  '"; drop table x; --',
  '<script>alert(1)</script>',
  '<!--',
  ']]>',
  '../../etc/passwd',
  'http://127.0.0.1:9/',
  'javascript:alert(1)',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-0',
  '1e999',
  '9'.repeat(40),
  '[]',
  '{}',
]

const PLAIN = [
  'Translate',
  'the',
  'release',
  'notes',
  'report',
  'data',
  'Paris',
  'summary',
  'of',
  'invoices',
  '2031',
]

/** Text that a person might write, around a word that must be in it. */
export function plainText(random: Random, word: string, most: number): string {
  const parts = [word]
  const count = random.below(4)
  for (let at = 0; at < count; at++) {
    const part = random.chance(0.12) ? random.pick(HARD.slice(5)) : random.pick(PLAIN)
    if (parts.join(' ').length + part.length + 2 < most) parts.push(part)
  }
  return parts.join(' ')
}

/** Text that is meant to be refused, or to be stored unharmed. */
export function hardText(random: Random): string {
  if (random.chance(0.1)) return 'x'.repeat(random.pick([256, 1001, 5001, 20_001]))
  if (random.chance(0.05)) return '\ud83d'
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(HARD)).join('')
}

/** JSON values of every type, with those at the limits of types. */
export const junk = (random: Random): unknown =>
  random.pick<() => unknown>([
    () => null,
    () => true,
    () => 0,
    () => -1,
    () => 1.5,
    () => 1e308,
    () => 2 ** 31,
    () => 2 ** 53,
    () => -(2 ** 63),
    () => 0.000_000_1,
    () => '',
    () => ' ',
    () => hardText(random),
    () => hardText(random),
    () => '0198c0de-0000-7000-8000-000000000001',
    () => '1970-01-01T00:00:00Z',
    () => '9999-12-31T23:59:60Z',
    () => '+010000-01-01T00:00:00Z',
    () => [],
    () => [[]],
    () => [null],
    () => Array.from({ length: 200 }, () => 'x'),
    () => ({}),
    () => ({ a: { b: { c: [1, null, 'x'] } } }),
    () => ({ constructor: 1, toString: 'x', length: -1 }),
  ])()
