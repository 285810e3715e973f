// Writes openapi/openapi.json from the routes, without a database: `npm run openapi`.
import { writeFile } from 'node:fs/promises'
import { createApp, openServices } from '#app'
import { readConfig } from '#platform/config'

/** The document of the sandbox mode, which has every operation. */
export async function openapiText(): Promise<string> {
  const config = readConfig({ LOG_LEVEL: 'silent', PUBLIC_URL: 'http://127.0.0.1:3000', SVC_MASTER_KEY: '0'.repeat(64) })
  const services = await openServices(config, 'postgres://127.0.0.1:1/none')
  const app = await createApp(services, async () => { throw new Error('no requests here') })
  await app.ready()
  const text = `${JSON.stringify(app.swagger(), null, 1)}\n`
  await app.close()
  await services.db.pool.end()
  return text
}

if (import.meta.main) await writeFile('openapi/openapi.json', await openapiText())
