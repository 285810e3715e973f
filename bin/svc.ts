// The command line: `svc help` lists the commands. To add one, add a file in bin/client (clients of a service) or bin/commands
// (its operator) and a line in the index there. A command that needs the service has its code in bin/commands/run.
import '../server/resolve.ts'
import process from 'node:process'
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  PermissionError,
  RateLimitError,
  ServerError,
} from '#sdk'
import { CredentialError, EXIT, findCommand, parse, UsageError, type Command } from './commands/command.ts'
import { help, helpOf } from './commands/help.ts'
import { clientCommands } from './client/index.ts'

const words = process.argv.slice(2)

/** Other commands start without those of the operator, which load the code of the service when they run. */
const operatorCommands = async (): Promise<readonly Command[]> =>
  (await import('./commands/index.ts')).commands
const find = async (words: readonly string[]): Promise<Command | undefined> =>
  findCommand(clientCommands, words) ?? findCommand(await operatorCommands(), words)

async function showHelp(about: readonly string[]): Promise<number> {
  const command = about.length ? await find(about) : undefined
  const text = command ? helpOf(command) : help(clientCommands, await operatorCommands())
  process.stdout.write(text)
  return EXIT.ok
}

async function showVersion(): Promise<number> {
  const { serviceVersion } = await import('./commands/version.ts')
  process.stdout.write(`svc ${serviceVersion}, Node ${process.versions.node}\n`)
  return EXIT.ok
}

async function main(): Promise<number> {
  if (!words.length) return showHelp([])
  if (words[0] === 'help') return showHelp(words.slice(1))
  if (words[0] === '--version') return showVersion()
  const end = words.includes('--') ? words.indexOf('--') : words.length
  if (words.slice(0, end).some(word => word === '--help' || word === '-h'))
    return showHelp(words.filter(word => !word.startsWith('-')))
  const command = await find(words)
  if (!command)
    throw new UsageError(
      `unknown command "${words.join(' ')}"\n\n${help(clientCommands, await operatorCommands())}`,
    )
  const given = words.slice(command.name.split(' ').length)
  const parsed = parse(command, given)
  return command.run(given, parsed)
}

/** What a person can do about an error of the service, beside its own hint. */
function adviceOf(error: unknown): string {
  if (error instanceof AuthenticationError) return '\nSign in with: svc login'
  if (error instanceof ApiError && error.code === 'STEP_UP_REQUIRED')
    return '\nThis needs a fresh sign-in: run "svc login" and repeat the command within five minutes'
  if (error instanceof ConnectionError) return '\nIs the service running? --url or SVC_URL sets its address'
  return ''
}

function statusOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage
  if ([AuthenticationError, PermissionError, CredentialError].some(each => error instanceof each))
    return EXIT.denied
  if (error instanceof RateLimitError || error instanceof ServerError) return EXIT.temporary
  if (error instanceof ConnectionError) return EXIT.unavailable
  // By name: the classes of the service are loaded for its operator's commands only.
  return error instanceof Error && error.constructor.name === 'ConfigError' ? EXIT.config : EXIT.failed
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return 'messages' in error && Array.isArray(error.messages) ? error.messages.join('; ') : error.message
}

// `svc deals | head` ends the reader early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
try {
  process.exitCode = await main()
} catch (error) {
  const name = findCommand(clientCommands, words)?.name ?? words.filter(word => !word.startsWith('-'))[0]
  process.stderr.write(
    `${name && !(error instanceof UsageError && !findCommand(clientCommands, words)) ? `svc ${name}` : 'svc'}: ${messageOf(error)}${adviceOf(error)}\n`,
  )
  process.exitCode = statusOf(error)
}
