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
import {
  CredentialError,
  EXIT,
  findCommand,
  NOTHING,
  parse,
  UsageError,
  type Command,
  type Given,
} from './commands/command.ts'
import { help, helpOf, helpOfGroup } from './commands/help.ts'
import { Interrupted, profileNameOf, profileOption, signInAdvice } from './client/connect.ts'
import { clientCommands } from './client/index.ts'

const words = process.argv.slice(2)

/** Other commands start without those of the operator, which load the code of the service when they run. */
const operatorCommands = async (): Promise<readonly Command[]> =>
  (await import('./commands/index.ts')).commands
const find = async (words: readonly string[]): Promise<Command | undefined> =>
  findCommand(clientCommands, words) ?? findCommand(await operatorCommands(), words)

async function showHelp(words: readonly string[]): Promise<number> {
  const about = words.filter(word => !word.startsWith('-'))
  process.stdout.write(await helpAbout(about[0] === 'help' ? [] : about))
  return EXIT.ok
}

/** UsageError for words that are neither a command nor the first one of several. */
async function helpAbout(words: readonly string[]): Promise<string> {
  if (!words.length) return help(clientCommands, await operatorCommands())
  const command = await find(words)
  if (command) return helpOf(command)
  const group = words.length === 1 ? await groupOf(words) : []
  if (!group.length) throw await unknownCommand(words)
  return helpOfGroup(group)
}

/** The commands whose name begins with the word and has another one, such as `ledger`. */
async function groupOf([word]: readonly string[]): Promise<readonly Command[]> {
  const all = [...clientCommands, ...(await operatorCommands())]
  return all.filter(({ name }) => name.startsWith(`${word} `))
}

/** Options may have secrets as values: the message has the words before them. */
async function unknownCommand(words: readonly string[]): Promise<UsageError> {
  const end = words.findIndex(word => word.startsWith('-'))
  const name = words.slice(0, end < 0 ? undefined : Math.max(end, 1)).join(' ')
  const group = await groupOf(words)
  const known = group.length
    ? `The commands of this group: ${group.map(each => `svc ${each.name}`).join(', ')}`
    : '"svc help" lists all commands'
  return new UsageError(`unknown command "${name}". ${known}`)
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
  if (words.slice(0, end).some(word => word === '--help' || word === '-h')) return showHelp(words)
  const command = await find(words)
  if (!command) throw await unknownCommand(words)
  return runCommand(command, words.slice(command.name.split(' ').length))
}

async function runCommand(command: Command, words: readonly string[]): Promise<number> {
  let given = NOTHING
  try {
    given = parse(command, words)
    return await command.run(words, given)
  } catch (error) {
    return report(`svc ${command.name}`, error, given)
  }
}

function report(name: string, error: unknown, given: Given): number {
  process.stderr.write(`${name}: ${messageOf(error)}${adviceOf(error, given)}\n`)
  return statusOf(error)
}

/** What a person can do about an error of the service, beside its own hint. */
function adviceOf(error: unknown, given: Given): string {
  if (error instanceof AuthenticationError) return `\n${signInAdvice(given)}`
  if (error instanceof ApiError && error.code === 'STEP_UP_REQUIRED')
    return `\nThis needs a fresh sign-in: run "svc login${profileOption(profileNameOf(given))}" and repeat the command within five minutes`
  if (error instanceof ConnectionError) return '\nIs the service running? --url or SVC_URL sets its address'
  return ''
}

function statusOf(error: unknown): number {
  if (error instanceof Interrupted) return error.status
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
process.exitCode = await main().catch((error: unknown) => report('svc', error, NOTHING))
