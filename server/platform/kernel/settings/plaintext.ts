import type { Config } from '../config.ts'
import { urlsOf } from '../database/connection-string.ts'

/** Modes of libpq that encrypt and check the certificate; `pg` checks it for `require` and `verify-ca` too. */
const CHECKED = ['require', 'verify-ca', 'verify-full']

/** Whether a URL names this machine: nothing travels over a network. */
export const isOnThisMachine = (url: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)

/** Whether a connection string of PostgreSQL names a Unix socket, by the folder of it or without a host. */
function isSocket(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  return searchParams.get('host')?.startsWith('/') || hostname === ''
}

/** Connections to PostgreSQL and Redis on other machines that are not encrypted, unless PLAINTEXT_HOSTS names the host. */
export function plaintextProblems(config: Config): string[] {
  const isAllowed = (url: string) =>
    isOnThisMachine(url) || config.PLAINTEXT_HOSTS.includes(new URL(url).hostname)
  const problems: string[] = []
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL'] as const) {
    const open = urlsOf(config[name] ?? '').find(
      url => url && !isSocket(url) && !isAllowed(url) && !isEncrypted(url),
    )
    if (open) problems.push(`${name} ${advice(open, 'needs ?sslmode=verify-full')}`)
  }
  const { REDIS_URL: redis } = config
  if (redis && !redis.startsWith('rediss:') && !isAllowed(redis))
    problems.push(`REDIS_URL ${advice(redis, 'must begin with rediss:')}`)
  return problems
}

const isEncrypted = (url: string): boolean => CHECKED.includes(new URL(url).searchParams.get('sslmode') ?? '')

const advice = (url: string, remedy: string): string =>
  `${remedy} in production. If the network to ${new URL(url).hostname} is private, add the host to PLAINTEXT_HOSTS.`
