// Writes openapi/openapi.json from the routes, without a database: `npm run openapi`.
import { writeFile } from 'node:fs/promises'
import { createApp, createModules, LedgerMonitor, openapiDocument, openServices, type OnRoute } from '#app'
import { readConfig } from '#platform/kernel/config'
import type { App } from '#platform/http/operation'

const FILE = 'openapi/openapi.json'

/** Runs `work` on the whole HTTP surface of the sandbox mode, which has every operation; `onRoute` sees each route. */
export async function describeApp<T>(work: (app: App) => T | Promise<T>, onRoute?: OnRoute): Promise<T> {
  const config = readConfig({
    LOG_LEVEL: 'silent',
    PUBLIC_URL: 'http://127.0.0.1:3000',
    SVC_MASTER_KEY: '0'.repeat(64),
  })
  const services = await openServices(config, 'postgres://127.0.0.1:1/none')
  const modules = await createModules(services)
  const authenticate = async () => {
    throw new Error('no requests here')
  }
  const monitor = new LedgerMonitor(services, modules)
  const app = await createApp(services, { modules, monitor, authenticate }, onRoute)
  await app.ready()
  const result = await work(app)
  await app.close()
  await services.db.pool.end()
  return result
}

/** The document; `all` includes the pages and assets. */
export const describeApi = (options: { all?: boolean } = {}) =>
  describeApp(app => openapiDocument(app, options))

export const openapiText = async (): Promise<string> => `${JSON.stringify(await describeApi(), null, 1)}\n`

if (import.meta.main) {
  const text = await openapiText()
  await writeFile(FILE, text)
  const { paths } = JSON.parse(text) as { paths: Record<string, object> }
  console.log(
    `${FILE}: ${Object.values(paths).flatMap(item => Object.keys(item)).length} operations on ${Object.keys(paths).length} paths`,
  )
}
