import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeApi } from '../openapi.ts'

/**
 * Statuses of a mechanism that is the same for all operations: body limit, idempotency key, rate limit, error of the
 * program, unavailable database. test/acceptance/authorization/outage.test.ts tests each mechanism. `default` describes the
 * errors that an operation does not list, and is no status.
 */
const OF_MECHANISMS = new Set(['413', '422', '429', '500', '503', 'default'])

const KEY_IN_USE =
  'its only 409 is that of a running Idempotency-Key, tested for one operation of each credential'
/** Documented statuses that a test run does not show, with the reason. */
const UNSEEN = new Map([
  ['GET /sandbox/pages/slow 200', 'answers after 15 s: the verifier asks for it in its tests and gives up'],
  ['POST /wallets/transfer 409', KEY_IN_USE],
  ['POST /v1/wallet/topup 409', KEY_IN_USE],
  ['POST /routing/keys 409', KEY_IN_USE],
  ['POST /wallets/admin/test-credit 409', KEY_IN_USE],
  ['POST /admin/promotions 409', KEY_IN_USE],
  ['POST /payments/ap2/complete 409', KEY_IN_USE],
  ['POST /subscriptions/cancel 409', KEY_IN_USE],
  ['POST /payments/create-agent-checkout 409', KEY_IN_USE],
  ['POST /payments/stripe/create 409', KEY_IN_USE],
  ['POST /agents/{id}/execute 409', KEY_IN_USE],
  ['POST /v1/messages 409', KEY_IN_USE],
  ['POST /v1/responses 409', KEY_IN_USE],
])

type Paths = Awaited<ReturnType<typeof describeApi>>['paths']

/**
 * The domain statuses that the document names and no test of the run was answered, as `METHOD path status`. `folder` holds
 * what test/support/service/statuses.ts wrote.
 */
export async function unansweredStatuses(folder: string): Promise<string[]> {
  const { paths } = await describeApi({ all: true })
  const matchers = Object.keys(paths).map(path => ({
    path,
    matches: new RegExp(
      `^${path
        .replaceAll(/[.]/g, '\\.')
        .replaceAll(/\{\w+\}/g, '[^/]+')
        .replaceAll('{*}', '.+')}/?$`,
    ),
  }))
  const seen = new Set<string>()
  for (const line of await linesOf(folder)) {
    const [method = '', url = '', status = ''] = line.split(' ')
    // A fixed path wins over one with a parameter, as in the router.
    const found = matchers
      .filter(({ matches }) => matches.test(url))
      .sort((a, b) => parameters(a.path) - parameters(b.path))
    const path = found.find(({ path }) => method.toLowerCase() in (paths[path] ?? {}))?.path
    if (path) seen.add(`${method} ${path} ${status}`)
  }
  return documented(paths).filter(status => !seen.has(status) && !UNSEEN.has(status))
}

const parameters = (path: string): number => path.split('{').length

const documented = (paths: Paths): string[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      Object.keys(responses)
        .filter(status => !OF_MECHANISMS.has(status))
        .map(status => `${method.toUpperCase()} ${path} ${status}`),
    ),
  )

async function linesOf(folder: string): Promise<Set<string>> {
  const texts = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name), 'utf8')))
  return new Set(texts.flatMap(text => text.split('\n')).filter(Boolean))
}
