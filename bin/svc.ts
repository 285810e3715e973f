// The operator's command: `svc help` lists what it can do. Add a command: a file in bin/commands, a line in its index.
import process from 'node:process'
import { ConfigError } from '#platform/config'
import { EXIT, UsageError, type Command } from './commands/command.ts'
import { commands } from './commands/index.ts'

const words = process.argv.slice(2)
const command = commands.find(each => each.name.split(' ').every((word, index) => words[index] === word))
const usageOf = ({ name, parameters = [], options = [] }: Pick<Command, 'name' | 'parameters' | 'options'>): string =>
  [name, ...parameters, ...options.map(option => `[${option}]`)].join(' ')

function help(): string {
  const all = [...commands, { name: 'help', summary: 'This list.' }]
  const width = Math.max(...all.map(each => usageOf(each).length)) + 2
  const lines = all.map(each => `  svc ${usageOf(each).padEnd(width)}${each.summary}`)
  return [
    'Usage: svc <command>', '', ...lines, '', 'Commands use the database of DATABASE_URL, else the embedded one of this checkout.',
    'Exit status: 0 all is well; 1 a check found a fault, or the command failed; 64 wrong usage; 78 wrong configuration.', '',
  ].join('\n')
}

async function main(): Promise<number> {
  if (!words.length || words[0] === 'help' || words.includes('--help') || words.includes('-h')) {
    process.stdout.write(help())
    return EXIT.ok
  }
  if (!command) throw new UsageError(`no command is called "${words.join(' ')}"\n\n${help()}`)
  const given = words.slice(command.name.split(' ').length)
  const options = command.options ?? []
  const flag = given.find(word => word.startsWith('-') && !options.includes(word))
  if (flag) throw new UsageError(`there is no option ${flag}. Usage: svc ${usageOf(command)}`)
  if (given.filter(word => !options.includes(word)).length !== (command.parameters ?? []).length) throw new UsageError(`wrong number of arguments. Usage: svc ${usageOf(command)}`)
  return command.run(given)
}

function statusOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  return error instanceof ConfigError ? EXIT.config : EXIT.failed
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${command ? `svc ${command.name}` : 'svc'}: ${(error as Error).message}\n`)
  process.exitCode = statusOf(error)
}
