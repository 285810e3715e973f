// The operator's command: `svc help` lists what it can do. Add a command: a file in bin/commands, a line in its index.
import process from 'node:process'
import { ConfigError } from '#platform/config'
import { commands } from './commands/index.ts'

/** Exit statuses of sysexits: wrong usage, wrong configuration. */
const EX_USAGE = 64
const EX_CONFIG = 78

const words = process.argv.slice(2)
const command = commands.find(each => each.name.split(' ').every((word, index) => words[index] === word))

function help(): string {
  const width = Math.max(...commands.map(each => each.name.length)) + 2
  const lines = [...commands, { name: 'help', summary: 'This list.' }].map(each => `  svc ${each.name.padEnd(width)}${each.summary}`)
  return ['Usage: svc <command>', '', ...lines, '', 'Commands use the database of DATABASE_URL, else the embedded one of this checkout.', ''].join('\n')
}

async function main(): Promise<number> {
  if (!words.length || words[0] === 'help' || words.includes('--help')) {
    process.stdout.write(help())
    return 0
  }
  if (!command) {
    process.stderr.write(`svc: no command is called "${words.join(' ')}"\n\n${help()}`)
    return EX_USAGE
  }
  return command.run(words.slice(command.name.split(' ').length))
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`svc ${words.join(' ')}: ${(error as Error).message}\n`)
  process.exitCode = error instanceof ConfigError ? EX_CONFIG : 1
}
