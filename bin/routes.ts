// From a path to the file that serves it: `npm run routes` lists all, `npm run routes -- /ap2/deliver` those that fit.
import { relative } from 'node:path'
import process from 'node:process'
import { describeApp } from './openapi.ts'

export interface RoutePlace {
  method: string
  path: string
  file: string
  line: number
}

const ROOT = `${import.meta.dirname}/..`

/** Every route of the service in sandbox mode, pages included, with the place in the source where it is registered. */
export async function listRoutes(): Promise<RoutePlace[]> {
  const routes: RoutePlace[] = []
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 50
  await describeApp(
    () => undefined,
    ({ method, url, config }) => {
      const place = callerOf(config?.registeredAt ?? new Error().stack ?? '')
      for (const each of [method].flat())
        if (place && each !== 'HEAD')
          routes.push({
            method: each,
            path: url.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{*}'),
            ...place,
          })
    },
  )
  Error.stackTraceLimit = limit
  return routes.sort((a, b) =>
    a.path === b.path ? a.method.localeCompare(b.method) : a.path.localeCompare(b.path),
  )
}

/** Functions that register operations for others. */
const REGISTRARS = ['server/platform/http/', 'server/modules/gateway/calls/http/operation.ts']

/** The call of `route`, or of the framework where a file registers its route itself. Routes of plug-ins have none. */
function callerOf(stack: string): { file: string; line: number } | null {
  for (const [, path = '', line] of stack.matchAll(/(?:file:\/\/)?(\/[^\s():]+\.ts):(\d+):\d+/g)) {
    const file = relative(ROOT, path)
    if (file.startsWith('server/') && !REGISTRARS.some(registrar => file.startsWith(registrar)))
      return { file, line: Number(line) }
  }
  return null
}

/** Whether a route has this text in it, such as `/ap2/deliver` or `POST /agents`, or serves this path. */
function fits({ method, path }: RoutePlace, wanted: string): boolean {
  const pattern = new RegExp(
    `^${path
      .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
      .replaceAll(/\{\w+\}/g, '[^/]+')
      .replace('{\\*}', '.+')}/?$`,
  )
  return `${method} ${path}`.includes(wanted.replaceAll(/:(\w+)/g, '{$1}')) || pattern.test(wanted)
}

/** What `npm run routes -- WANTED` prints. */
export const linesOf = (routes: readonly RoutePlace[], wanted: string): string[] =>
  routes
    .filter(each => fits(each, wanted))
    .map(({ method, path, file, line }) => `${`${method.padEnd(6)} ${path}`.padEnd(72)} ${file}:${line}`)

async function main(): Promise<number> {
  const wanted = process.argv.slice(2).join(' ')
  if (wanted === '--help' || wanted === '-h') {
    console.log(
      'Usage: npm run routes [-- PATH]\n\nLists the routes that contain or serve PATH, such as /ap2/deliver, with the file and line that register each.',
    )
    return 0
  }
  const found = linesOf(await listRoutes(), wanted)
  for (const line of found) console.log(line)
  if (!found.length) console.error(`No route contains or serves ${wanted}. "npm run routes" lists all.`)
  return found.length ? 0 : 1
}

if (import.meta.main) process.exitCode = await main()
