// Writes openapi/openapi.json from the routes, without a database: `npm run openapi`.
import { writeFile } from 'node:fs/promises'
import { createApp, openapiDocument, openServices } from '#app'
import { readConfig } from '#platform/config'

/** The document of the sandbox mode, which has every operation; `all` includes the pages and assets. */
export async function describeApi(options: { all?: boolean } = {}) {
  const config = readConfig({ LOG_LEVEL: 'silent', PUBLIC_URL: 'http://127.0.0.1:3000', SVC_MASTER_KEY: '0'.repeat(64) })
  const services = await openServices(config, 'postgres://127.0.0.1:1/none')
  const app = await createApp(services, async () => { throw new Error('no requests here') })
  await app.ready()
  const document = openapiDocument(app, options)
  await app.close()
  await services.db.pool.end()
  return document
}

export const openapiText = async (): Promise<string> => `${JSON.stringify(await describeApi(), null, 1)}\n`

if (import.meta.main) await writeFile('openapi/openapi.json', await openapiText())
