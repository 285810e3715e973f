import { readFile } from 'node:fs/promises'
import { openapiText } from '../openapi.ts'
import { operationsText } from '../settings.ts'

/** The lock file must not name a registry host, or it installs from one place only. */
export async function checkLockfile(): Promise<string[]> {
  const lock = await readFile('package-lock.json', 'utf8')
  return /"resolved": "https?:/.test(lock) ? ['package-lock.json names a registry host: npm config omit-lockfile-registry-resolved=true, then npm install'] : []
}

/** The committed OpenAPI document is the one that the code gives. */
export async function checkOpenapi(): Promise<string[]> {
  const committed = await readFile('openapi/openapi.json', 'utf8').catch(() => '')
  return committed === await openapiText() ? [] : ['openapi/openapi.json is out of date: npm run openapi']
}

/** The settings in docs/OPERATIONS.md are those of the schema. */
export async function checkSettings(): Promise<string[]> {
  return await readFile('docs/OPERATIONS.md', 'utf8') === await operationsText() ? [] : ['docs/OPERATIONS.md is out of date: npm run settings']
}
