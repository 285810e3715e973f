import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeApi } from '../openapi.ts'

/** Documented, and not to be seen in a run. */
const UNSEEN = new Map([
  ['GET /sandbox/pages/slow 200', 'answers after 15 s: the verifier asks for it in its tests and gives up'],
  ['GET /auth/identity-provider/login 500', 'named by the interface; a provider that is away or answers nonsense is a 503'],
])

type Paths = Awaited<ReturnType<typeof describeApi>>['paths']

/**
 * The statuses that the document names and no test of the run was answered, as `METHOD path status`. `folder` holds
 * what test/support/statuses.ts wrote.
 */
export async function unansweredStatuses(folder: string): Promise<string[]> {
  const { paths } = await describeApi({ all: true })
  const matchers = Object.keys(paths).map(path => ({ path, matches: new RegExp(`^${path.replaceAll(/[.]/g, '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`) }))
  const seen = new Set<string>()
  for (const line of await linesOf(folder)) {
    const [method = '', url = '', status = ''] = line.split(' ')
    // A fixed path wins over one with a parameter, as in the router.
    const found = matchers.filter(({ matches }) => matches.test(url)).sort((a, b) => parameters(a.path) - parameters(b.path))
    const path = found.find(({ path }) => method.toLowerCase() in (paths[path] ?? {}))?.path
    if (path) seen.add(`${method} ${path} ${status}`)
  }
  return documented(paths).filter(status => !seen.has(status) && !UNSEEN.has(status))
}

const parameters = (path: string): number => path.split('{').length

const documented = (paths: Paths): string[] => Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, { responses }]) => Object.keys(responses).map(status => `${method.toUpperCase()} ${path} ${status}`)))

async function linesOf(folder: string): Promise<Set<string>> {
  const texts = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name), 'utf8')))
  return new Set(texts.flatMap(text => text.split('\n')).filter(Boolean))
}
