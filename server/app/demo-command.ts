import { isIPv6 } from 'node:net'
import type { Config } from '#platform/kernel/config'

/** The server answers at 127.0.0.1, where the demo looks for it. */
const LOCAL = new Set(['127.0.0.1', 'localhost', '0.0.0.0', '::'])

/**
 * The command that plays the demo against this server, for a shell. Its ledger check reads the database of the server, so that
 * the command names where that is; a DATABASE_URL may have a password, and its owner knows it.
 */
export const demoCommand = ({ HOST, PORT, SVC_DATA_DIR, DATABASE_URL }: Config): string =>
  [
    ...(DATABASE_URL ? ['DATABASE_URL=...'] : []),
    ...(SVC_DATA_DIR === '.data' ? [] : [`SVC_DATA_DIR=${quote(SVC_DATA_DIR)}`]),
    ...addressOf(HOST, PORT),
    'npm run demo',
  ].join(' ')

function addressOf(host: string, port: number): string[] {
  if (!LOCAL.has(host)) return [`BASE_URL=http://${isIPv6(host) ? `[${host}]` : host}:${port}`]
  return port === 3000 ? [] : [`PORT=${port}`]
}

const quote = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
