import process from 'node:process'
import { stripVTControlCharacters, styleText } from 'node:util'
import type { Given } from '../commands/command.ts'

type Color = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold'

/** Colors on a terminal only, and never with NO_COLOR. */
export const paint = (color: Color, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(color, text, { stream })

export const isJson = ({ options }: Given): boolean => options.has('--json')

/** Text from other accounts must not move the cursor or change the title of a terminal. */
export const plain = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\t\n]/gu, '')

/** The value as JSON with --json, else what `text` writes for a person. */
export function print(given: Given, value: unknown, text: () => string): void {
  const field = given.options.get('--field')
  if (field !== undefined) process.stdout.write(`${fieldOf(value, field)}\n`)
  else process.stdout.write(`${isJson(given) ? JSON.stringify(value, null, 2) : text()}\n`)
}

/** A field inside a value, such as `escrow.status`, so that a script needs no reader of JSON. */
function fieldOf(value: unknown, path: string): string {
  let found: unknown = value
  for (const name of path.split('.'))
    found =
      typeof found === 'object' && found !== null
        ? Object.entries(found).find(([key]) => key === name)?.[1]
        : undefined
  if (found === undefined || found === null) throw new Error(`there is no field "${path}"`)
  return typeof found === 'string' ? found : JSON.stringify(found)
}

/** One line of JSON for each value of a stream. */
export const printLine = (given: Given, value: unknown, text: () => string): void => {
  process.stdout.write(`${isJson(given) ? JSON.stringify(value) : text()}\n`)
}

/** What happens, for a person: not a part of the output. */
export const note = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** Columns of text, as wide as their longest value. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map(row => row.map(plain))
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map(row => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [paint('bold', line(head)), ...cells.map(line)].join('\n')
}

/** Names and values below each other. */
export function list(values: Record<string, string | number | null | undefined>): string {
  const shown = Object.entries(values).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  const width = Math.max(...shown.map(([name]) => name.length)) + 2
  return shown.map(([name, value]) => `${paint('dim', name.padEnd(width))}${plain(String(value))}`).join('\n')
}
