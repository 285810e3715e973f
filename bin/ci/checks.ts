import { glob, readFile } from 'node:fs/promises'
import { openapiText } from '../openapi.ts'
import { KEYED_FILE, keyedText } from '../sdk-types.ts'
import { operationsText } from '../settings.ts'

/** The lock file must not name a registry host, or it installs from one place only. */
export async function checkLockfile(): Promise<string[]> {
  const lock = await readFile('package-lock.json', 'utf8')
  return /"resolved": "https?:/.test(lock)
    ? [
        'package-lock.json names a registry host: npm config omit-lockfile-registry-resolved=true, then npm install',
      ]
    : []
}

/** Of the document as it is served, without line breaks, for each operation (ADR 23). */
const OPENAPI_MAX_BYTES = 3_400
const OPENAPI_MIN_SCHEMAS = 40

/** The committed OpenAPI document is the generated one, small, and made of named schemas. */
export async function checkOpenapi(): Promise<string[]> {
  const committed = await readFile('openapi/openapi.json', 'utf8').catch(() => '')
  const text = await openapiText()
  if (committed !== text) return ['openapi/openapi.json is out of date: npm run openapi']
  const document = JSON.parse(text) as { paths: Record<string, object>; components: { schemas: object } }
  const operations = Object.values(document.paths).flatMap(path => Object.keys(path)).length
  const bytes = Math.round(Buffer.byteLength(JSON.stringify(document)) / operations)
  const schemas = Object.keys(document.components.schemas).length
  return [
    ...(bytes > OPENAPI_MAX_BYTES
      ? [
          `the OpenAPI document has ${bytes} bytes for each operation, at most ${OPENAPI_MAX_BYTES} are allowed: share schemas`,
        ]
      : []),
    ...(schemas < OPENAPI_MIN_SCHEMAS
      ? [`the OpenAPI document has ${schemas} named schemas, at least ${OPENAPI_MIN_SCHEMAS} are required`]
      : []),
  ]
}

/** The operations of the SDK that take an Idempotency-Key are those of the OpenAPI document. */
export async function checkSdk(): Promise<string[]> {
  return (await readFile(KEYED_FILE, 'utf8').catch(() => '')) === (await keyedText())
    ? []
    : [`${KEYED_FILE} is out of date: npm run sdk:types`]
}

/** The settings in docs/OPERATIONS.md are those of the schema. */
export async function checkSettings(): Promise<string[]> {
  return (await readFile('docs/OPERATIONS.md', 'utf8')) === (await operationsText())
    ? []
    : ['docs/OPERATIONS.md is out of date: npm run settings']
}

/** Each error code is declared in one error table; upper modules use the row of the lower one. */
export async function checkErrorCodes(): Promise<string[]> {
  const files = await Array.fromAsync(glob('server/**/errors.ts'))
  const places = new Map<string, string[]>()
  for (const file of files) {
    const text = await readFile(file, 'utf8')
    for (const [, code = ''] of text.matchAll(/^ {2}([A-Z][A-Z0-9_]+): \[\d{3},/gm)) {
      places.set(code, [...(places.get(code) ?? []), file])
    }
  }
  return [...places].flatMap(([code, where]) =>
    where.length > 1 ? [`error code ${code} is declared in ${where.join(' and ')}`] : [],
  )
}
