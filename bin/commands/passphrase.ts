import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { SHORTEST_PASSPHRASE } from '#platform/adapters/backup/key'
import { ConfigError } from '#platform/kernel/config'

const NAME = 'SVC_BACKUP_PASSPHRASE'

/** The passphrase for a new backup: of the environment, else asked for twice on a terminal. */
export async function newPassphrase(): Promise<string> {
  const given = process.env[NAME]?.trim()
  const passphrase = given || (await ask('Passphrase for the master key in the backup: '))
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new ConfigError([`${NAME} must have at least ${SHORTEST_PASSPHRASE} characters`])
  if (!given && (await ask('The same passphrase again: ')) !== passphrase)
    throw new Error('The two passphrases differ')
  return passphrase
}

/** The passphrase of an existing backup. */
export const existingPassphrase = async (): Promise<string> =>
  process.env[NAME]?.trim() || ask('Passphrase of the backup: ')

/** Asks on the terminal without showing what is typed. Never an argument: those are visible to every user of the machine. */
async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new ConfigError([`${NAME} must be set if there is no terminal to ask for it`])
  process.stderr.write(question)
  const nowhere = new Writable({
    write: (_chunk, _encoding, done) => {
      done()
    },
  })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  terminal.once('SIGINT', () => process.exit(130))
  try {
    return (await terminal.question('')).trim()
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
