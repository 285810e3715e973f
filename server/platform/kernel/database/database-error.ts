import { urlsOf } from './connection-string.ts'
import { DatabaseAway } from './pool.ts'
import { asError } from '../unknown.ts'

interface CodedError extends Error {
  code?: string
  /** Of an error of the operating system: what it was asked for. */
  syscall?: string
}

/**
 * What to do about an error of the database at `url`, in a sentence. Errors that say so themselves stay as they are, and
 * so do those of the embedded server (no `url`), whose start explains them, except for a server that ends later.
 */
export function describeDatabaseError(error: Error, url: string | undefined): Error {
  const cause: CodedError =
    error instanceof DatabaseAway && error.cause instanceof Error ? error.cause : error
  // A host with several addresses fails with one error for each, and no message of its own.
  const text =
    cause instanceof AggregateError && !cause.message
      ? cause.errors.map(each => asError(each).message).join(', ')
      : cause.message
  // A file that is missing says nothing about the database.
  const isElsewhere = cause.syscall !== undefined && !['connect', 'getaddrinfo'].includes(cause.syscall)
  if (!url && LOST.test(text))
    return new Error(
      `${text}. PostgreSQL has ended: its log is in the folder postgres/log of the data folder. Is there space on the disk?`,
      { cause: error },
    )
  const advice = url && !isElsewhere && adviceOf(cause, new URL(urlsOf(url)[0] ?? url))
  if (advice) return new Error(`${advice} (${text})`, { cause: error })
  return error instanceof DatabaseAway
    ? new Error(`the database does not answer: ${text}`, { cause: error })
    : error
}

/** The same of the embedded server, also behind the name of a migration. */
const LOST = /Connection terminated unexpectedly$/

/** What the driver says of a server that ends the connection, or that speaks another protocol. */
const ENDED =
  /^Connection terminated unexpectedly|^There was an error establishing an SSL connection|^received invalid response/

function adviceOf(
  { code = '', message }: CodedError,
  { host, hostname, username, pathname }: URL,
): string | null {
  const server = host || 'the server of DATABASE_URL'
  const user = decodeURIComponent(username)
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host ${hostname} of DATABASE_URL cannot be found: correct its name, or the name service of this machine`
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `no PostgreSQL listens at ${server}: start it, or correct DATABASE_URL`
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `${server} does not answer: look at the network and at a firewall on the way, or correct DATABASE_URL`
    case '28000':
    case '28P01':
      return user
        ? `PostgreSQL at ${server} refuses the user "${user}": correct user and password in DATABASE_URL, or create the role`
        : 'DATABASE_URL names no user: write postgres://user:password@host/database'
    case '3D000':
      return `the database "${decodeURIComponent(pathname.slice(1))}" does not exist at ${server}: create it, or correct DATABASE_URL`
    case '3F000':
      return `no schema of the search_path exists in the database of DATABASE_URL: create it, with the user "${user}" as its owner`
    case '42501':
      return `the user "${user}" may not do this: it must own the database of DATABASE_URL (DATABASE_DIRECT_URL where that is set)`
    default:
      if (message.startsWith('timeout expired'))
        return `${server} does not answer: look at the network and at a firewall on the way, or correct DATABASE_URL`
      return ENDED.test(message)
        ? `the connection to ${server} was ended: look whether PostgreSQL listens there and what it logs, or correct DATABASE_URL`
        : null
  }
}
