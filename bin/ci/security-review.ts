import { readFile } from 'node:fs/promises'

const FILE = 'docs/SECURITY.md'

/** How many requirements each section of ASVS 5.0.0 has, and which of them are of level 3. */
const SECTIONS: Record<string, readonly [count: number, ...level3: number[]]> = {
  '1.1': [2],
  '1.2': [10, 10],
  '1.3': [12, 12],
  '1.4': [3],
  '1.5': [3, 3],
  '2.1': [3],
  '2.2': [3],
  '2.3': [5, 5],
  '2.4': [2, 2],
  '3.2': [3, 3],
  '3.3': [5, 5],
  '3.4': [8, 7, 8],
  '3.5': [8, 6, 7, 8],
  '3.7': [5, 3, 4, 5],
  '4.1': [5, 4, 5],
  '4.2': [5, 2, 3, 4, 5],
  '4.3': [2],
  '4.4': [4],
  '5.1': [1],
  '5.2': [6, 4, 5, 6],
  '5.3': [3, 3],
  '5.4': [3],
  '6.1': [3],
  '6.2': [12],
  '6.3': [8, 5, 6, 7, 8],
  '6.4': [6, 5, 6],
  '6.5': [8, 6, 7, 8],
  '6.6': [4, 4],
  '6.8': [4],
  '7.1': [3],
  '7.2': [4],
  '7.3': [2],
  '7.4': [5],
  '7.5': [3, 3],
  '7.6': [2],
  '8.1': [4, 3, 4],
  '8.2': [4, 4],
  '8.3': [3, 2, 3],
  '8.4': [2, 2],
  '9.1': [3],
  '9.2': [4],
  '10.1': [2],
  '10.2': [3, 3],
  '10.3': [5, 5],
  '10.4': [16, 12, 13, 14, 15, 16],
  '10.5': [5],
  '10.6': [2],
  '10.7': [3],
  '11.1': [4, 3, 4],
  '11.2': [5, 4, 5],
  '11.3': [5, 4, 5],
  '11.4': [4],
  '11.5': [2, 2],
  '11.6': [2, 2],
  '12.1': [5, 4, 5],
  '12.2': [2],
  '12.3': [5, 5],
  '13.1': [4, 2, 3, 4],
  '13.2': [6, 6],
  '13.3': [4, 3, 4],
  '13.4': [7, 6, 7],
  '14.1': [2],
  '14.2': [8, 5, 6, 7, 8],
  '14.3': [3],
  '15.1': [5, 4, 5],
  '15.2': [5, 4, 5],
  '15.3': [7],
  '16.1': [1],
  '16.2': [5],
  '16.3': [4],
  '16.4': [3],
  '16.5': [4, 4],
  '17.1': [2, 2],
  '17.2': [8, 5, 6, 7, 8],
  '17.3': [2],
}

/** The numbers of the levels 1 and 2, in order. */
export const requiredNumbers = (): string[] =>
  Object.entries(SECTIONS).flatMap(([section, [count, ...level3]]) =>
    Array.from({ length: count }, (_, at) => at + 1)
      .filter(each => !level3.includes(each))
      .map(each => `${section}.${each}`),
  )

const ROW = /^\| (?<number>\d+\.\d+\.\d+) +\|.*\| (?<proof>[^|]+?) +\|$/gm

/** Each requirement has one row, in order; each test and each section that a row names exists. */
export async function checkSecurityReview(): Promise<string[]> {
  const rows = [...(await readFile(FILE, 'utf8')).matchAll(ROW)].map(({ groups = {} }) => groups)
  const numbers = rows.map(({ number = '' }) => number)
  const required = requiredNumbers()
  const problems = [
    ...required.filter(each => !numbers.includes(each)).map(each => `${FILE} has no row for ${each}`),
    ...numbers
      .filter((each, at) => !required.includes(each) || numbers.indexOf(each) !== at)
      .map(each => `${FILE}: ${each} is no requirement of level 1 or 2, or has two rows`),
  ]
  for (const { number = '', proof = '' } of rows)
    if (!['does not apply', '**open**'].includes(proof))
      for (const each of proof.split('<br>')) problems.push(...(await problemOf(number, each)))
  return problems
}

async function problemOf(number: string, proof: string): Promise<string[]> {
  const { file = '', title = '' } = /^`(?<file>[^`]+)`: (?<title>.+)$/.exec(proof)?.groups ?? {}
  if (!file) return [`${FILE}, ${number}: "${proof}" must be a file in backticks, a colon and a title`]
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return [`${FILE}, ${number}: there is no ${file}`]
  const names = file.endsWith('.md')
    ? text.split('\n').flatMap(line => /^#+ (.+)$/.exec(line)?.[1] ?? [])
    : [...text.matchAll(/\b(?:test|it|suite|describe)\(\s*(?<quote>['"`])(?<name>.*?)(?<!\\)\k<quote>/g)].map(
        ({ groups = {} }) => (groups.name ?? '').replaceAll('\\', ''),
      )
  return names.includes(title.replaceAll('\\', '')) ? [] : [`${FILE}, ${number}: ${file} has no "${title}"`]
}
