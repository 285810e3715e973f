// The operator's command line: `svc help` lists the commands. To add one, add a file in bin/commands and a line in its index.
import process from 'node:process'
import { ConfigError } from '#platform/kernel/config'
import { ValidationError } from '#platform/kernel/errors'
import { EXIT, UsageError, type Command } from './commands/command.ts'
import { commands } from './commands/index.ts'

const words = process.argv.slice(2)
const command = commands.find(each => each.name.split(' ').every((word, index) => words[index] === word))
const usageOf = ({
  name,
  parameters = [],
  options = [],
}: Pick<Command, 'name' | 'parameters' | 'options'>): string =>
  [name, ...parameters, ...options.map(option => `[${option}]`)].join(' ')

function help(): string {
  const all = [...commands, { name: 'help', summary: 'Shows this list.' }]
  const width = Math.max(...all.map(each => usageOf(each).length)) + 2
  const lines = all.map(each => `  svc ${usageOf(each).padEnd(width)}${each.summary}`)
  return [
    'Usage: svc <command>',
    '',
    ...lines,
    '',
    'Commands use the database of DATABASE_URL, otherwise the embedded one of this checkout.',
    'Exit status: 0 success; 1 a check has findings, or the command failed; 64 wrong usage; 78 invalid configuration.',
    '',
  ].join('\n')
}

async function main(): Promise<number> {
  if (!words.length || words[0] === 'help' || words.includes('--help') || words.includes('-h')) {
    process.stdout.write(help())
    return EXIT.ok
  }
  if (!command) throw new UsageError(`unknown command "${words.join(' ')}"\n\n${help()}`)
  const given = words.slice(command.name.split(' ').length)
  if (parametersIn(command, given).length !== (command.parameters ?? []).length)
    throw new UsageError(`wrong number of arguments. Usage: svc ${usageOf(command)}`)
  return command.run(given)
}

/** What is no option and no value of one. UsageError for an unknown option, and for one without its value. */
function parametersIn(command: Command, given: readonly string[]): string[] {
  const parameters: string[] = []
  const options = (command.options ?? []).map(option => option.split(' '))
  for (let index = 0; index < given.length; index++) {
    const word = given[index] ?? ''
    const option = options.find(([name]) => name === word)
    if (!option && word.startsWith('-'))
      throw new UsageError(`unknown option ${word}. Usage: svc ${usageOf(command)}`)
    if (!option) parameters.push(word)
    else if (option.length > 1 && ++index >= given.length)
      throw new UsageError(`${word} needs a value. Usage: svc ${usageOf(command)}`)
  }
  return parameters
}

function statusOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  return error instanceof ConfigError ? EXIT.config : EXIT.failed
}

try {
  process.exitCode = await main()
} catch (error) {
  const { message } = error as Error
  const reason = error instanceof ValidationError ? error.messages.join('; ') : message
  process.stderr.write(`${command ? `svc ${command.name}` : 'svc'}: ${reason}\n`)
  process.exitCode = statusOf(error)
}
