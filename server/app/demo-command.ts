import type { Config } from '#platform/kernel/config'

/**
 * The command that plays the demo against this server, for a shell. Its ledger check reads the database of the server, so that
 * the command names where that is; a DATABASE_URL may have a password, and its owner knows it.
 */
export const demoCommand = ({ PORT, SVC_DATA_DIR, DATABASE_URL }: Config): string =>
  [
    ...(DATABASE_URL ? ['DATABASE_URL=...'] : []),
    ...(SVC_DATA_DIR === '.data' ? [] : [`SVC_DATA_DIR=${quote(SVC_DATA_DIR)}`]),
    ...(PORT === 3000 ? [] : [`PORT=${PORT}`]),
    'npm run demo',
  ].join(' ')

const quote = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
