import { constants } from 'node:os'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError, type Given } from '../commands/command.ts'

/** Asks on the terminal. UsageError with `instead`, what to give where nobody can answer. */
export async function ask(question: string, { isSecret = false, instead = '' } = {}): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError(`nobody can answer "${question.trim()}" here: ${instead}`)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: process.stdin,
    output: isSecret ? silent : process.stderr,
    terminal: true,
  })
  lines.once('SIGINT', () => process.exit(128 + constants.signals.SIGINT))
  // Beside a prompt of its own, readline clears what is in its line.
  if (isSecret) process.stderr.write(question)
  try {
    return await lines.question(isSecret ? '' : question)
  } finally {
    lines.close()
    if (isSecret) process.stderr.write('\n')
  }
}

/** Never an argument: those are visible to every user of the machine. */
export async function readSecret(
  { options }: Given,
  name: '--password-stdin' | '--key-stdin',
): Promise<string> {
  if (options.has(name)) return (await text(process.stdin)).trim()
  const what = name === '--key-stdin' ? 'Key' : 'Password'
  return ask(`${what}: `, { isSecret: true, instead: `use ${name}` })
}

/** A price of the command line, as the API takes it. */
export function amountOf(text: string, name: string): number {
  const amount = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || amount <= 0)
    throw new UsageError(`${name} must be a number above 0, such as 12.50`)
  return amount
}
