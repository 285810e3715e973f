import { optionOf, usageOf, type Command } from './command.ts'

const EXITS =
  'Exit status: 0 success; 1 a check has findings, or the command failed; 64 wrong usage; 69 the service cannot be reached; 75 try again later; 77 sign in, or the credential does not allow it; 78 invalid configuration.'

const WIDTH = 34
function line(each: Pick<Command, 'name' | 'parameters' | 'summary'>): string {
  const usage = usageOf({ name: each.name, parameters: each.parameters ?? [] })
  return usage.length > WIDTH
    ? `  svc ${usage}\n  ${' '.repeat(WIDTH + 6)}${each.summary}`
    : `  svc ${usage.padEnd(WIDTH + 2)}${each.summary}`
}

/** The list of all commands. */
export function help(client: readonly Command[], operator: readonly Command[]): string {
  const own = {
    name: 'help',
    parameters: ['[COMMAND]'],
    summary: 'Shows this list, or a command with its options.',
  }
  return [
    'Usage: svc <command> [options]',
    '',
    'Use the marketplace:',
    ...client.map(line),
    '',
    'Operate a service (these use the database of DATABASE_URL, otherwise the embedded one of this checkout):',
    ...operator.map(line),
    '',
    line(own),
    '',
    '`svc help COMMAND` and `svc COMMAND --help` show options and examples, `svc --version` the version.',
    EXITS,
    '',
  ].join('\n')
}

/** The commands with the same first word. */
export const helpOfGroup = (commands: readonly Command[]): string =>
  [...commands.map(line), '', '`svc help COMMAND` shows options and examples.', ''].join('\n')

/** One command with its options and examples. */
export function helpOf(command: Command): string {
  const options = (command.options ?? []).map(optionOf)
  const width = Math.max(0, ...options.map(({ name, value = '' }) => `${name} ${value}`.trim().length)) + 2
  const section = (title: string, lines: readonly string[]) =>
    lines.length ? ['', `${title}:`, ...lines] : []
  return [
    `Usage: svc ${usageOf({ name: command.name, parameters: command.parameters ?? [] })}${options.length ? ' [options]' : ''}`,
    '',
    command.summary,
    ...section(
      'Options',
      options.map(({ name, value = '', description }) =>
        `  ${`${name} ${value}`.trim().padEnd(width)}${description}`.trimEnd(),
      ),
    ),
    ...section(
      'Examples',
      (command.examples ?? []).map(example => `  ${example}`),
    ),
    '',
  ].join('\n')
}
