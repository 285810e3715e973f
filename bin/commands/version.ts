import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Version of the service, from package.json. */
export const serviceVersion = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
).version
