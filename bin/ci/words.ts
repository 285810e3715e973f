import { glob, readFile } from 'node:fs/promises'
import { WORD_RULES, type WordRule } from './word-list.ts'

const FILES = [
  '{server,bin,test,bench}/**/*.{ts,js,css,sql}',
  'web/{app,api,parts,sections,texts}/**/*.{ts,tsx,css}',
  'web/texts/en.json',
  'packages/*/src/*.ts',
  'docs/**/*.md',
  '*.md',
  '.dependency-cruiser.cjs',
  'bin/svc',
]

/** The files that name the words in order to explain or check them. */
const EXEMPT = [
  'docs/GLOSSARY.md',
  'CONTRIBUTING.md',
  'bin/ci/word-list.ts',
  'bin/ci/words.test.ts',
  'packages/sdk/src/schema.ts',
]

/** Migrations up to these numbers were written before the check, and an applied migration is never edited. */
const FROZEN_MIGRATIONS: Record<string, number> = {
  platform: 10,
  ledger: 4,
  identity: 50,
  wallets: 40,
  agents: 5,
  trust: 2,
  payments: 7,
  ap2: 40,
  affiliates: 2,
}

/** A space of a rule also matches a line break inside a comment, a Markdown paragraph or a string of several lines. */
const GAP = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:(?://|\*|--|>)[ \t]*)?)`

/** Every use of a word that the list refuses, as `path:line: "word": write ... instead`. */
export async function checkWords(): Promise<string[]> {
  const files = (await Array.fromAsync(glob(FILES))).filter(isChecked).sort()
  const findings = await Promise.all(
    files.map(async file =>
      findWords(
        await readFile(file, 'utf8'),
        WORD_RULES.filter(rule => !rule.allowedIn?.some(start => file.startsWith(start))),
      ).map(({ line, text, use }) => `${file}:${line}: "${text}": write ${use} instead`),
    ),
  )
  return findings.flat()
}

function isChecked(file: string): boolean {
  if (EXEMPT.includes(file)) return false
  const [, module = '', number = ''] = /([\w-]+)\/migrations\/(\d+)-[^/]+\.sql$/.exec(file) ?? []
  return !module || Number(number) > (FROZEN_MIGRATIONS[module] ?? 0)
}

/** The uses of the rules' words in a text, with their lines. */
export function findWords(source: string, rules: WordRule[]): { line: number; text: string; use: string }[] {
  const text = splitIdentifiers(source)
  return rules.flatMap(rule => {
    const excepted = rule.except ? matches(text, rule.except) : []
    return matches(text, rule.find)
      .filter(({ start, end }) => !excepted.some(each => each.start <= start && end <= each.end))
      .map(({ start, end }) => ({
        line: text.slice(0, start).split('\n').length,
        text: text.slice(start, end).replaceAll(/\s+(?:\/\/|\*|--|>)?\s*/g, ' '),
        use: rule.use,
      }))
  })
}

/** `testCredit` and `test_credit` become "test Credit" and "test credit". Lines stay where they are. */
const splitIdentifiers = (text: string): string =>
  text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll('_', ' ')

const matches = (text: string, pattern: string): { start: number; end: number }[] =>
  [...text.matchAll(new RegExp(String.raw`(?<![\w])(?:${pattern.replaceAll(' ', GAP)})(?!\w)`, 'gi'))].map(
    ({ index, 0: found }) => ({ start: index, end: index + found.length }),
  )
