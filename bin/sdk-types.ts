// Writes the generated files of the SDK from openapi/openapi.json: `npm run sdk:types`.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = 'packages/sdk/src'

/** What this file uses of openapi-typescript. */
interface Generator {
  default(document: string, options: { defaultNonNullable: boolean }): Promise<unknown>
  astToString(nodes: unknown): string
}
interface Parameter {
  $ref?: string
  in?: string
}
interface Operation {
  parameters?: Parameter[]
  responses: Record<string, { description?: string; content?: Record<string, { schema: object }> }>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { responses?: object; headers?: object; examples?: object; parameters?: object }
}

const IDEMPOTENCY_KEY = '#/components/parameters/Idempotency-Key'
const FILE = 'application/octet-stream'

const NOTE = '// Generated from openapi/openapi.json: npm run sdk:types\n'
const readDocument = async (): Promise<Document> =>
  JSON.parse(await readFile(join(ROOT, 'openapi/openapi.json'), 'utf8')) as Document

/** What the client must know of operations when it runs: committed. */
export const KEYED_FILE = `${FOLDER}/keyed.ts`
export async function keyedText(): Promise<string> {
  const { paths } = await readDocument()
  const named = (fits: (operation: Operation) => boolean | undefined) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, operation]) => fits(operation))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    )
  const keyed = named(({ parameters }) => parameters?.some(({ $ref }) => $ref === IDEMPOTENCY_KEY))
  const files = named(({ responses }) => responses['200']?.content?.[FILE] !== undefined)
  return [
    `${NOTE}/** The operations that accept an Idempotency-Key. */`,
    `export const KEYED: ReadonlySet<string> = new Set(\n  '${keyed.join('|')}'.split('|'),\n)\n`,
    '/** The operations that respond with a file, of whatever media type it is. */',
    `export const FILES: ReadonlySet<string> = new Set(['${files.join("', '")}'])\n`,
  ].join('\n')
}

/**
 * Writes the types of all operations, which only the compiler needs: generated where they are wanted, not committed. A file
 * that is up to date stays, because tests may be compiling it.
 */
export async function writeSchema(): Promise<void> {
  const file = join(ROOT, FOLDER, 'schema.ts')
  const text = `${NOTE}${await typesOf(slim(await readDocument()))}`
  const present = existsSync(file) ? await readFile(file, 'utf8') : null
  if (present !== text) await writeFile(file, text)
}

/** Without what the client treats in the same way for every operation: errors and headers. */
function slim(document: Document): Document {
  for (const item of Object.values(document.paths))
    for (const operation of Object.values(item)) {
      const accepted = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
      operation.responses = Object.fromEntries(
        accepted.map(([status, { description, content = {} }]) => [
          status,
          { description, content: mapValues(content, ({ schema }) => ({ schema })) },
        ]),
      )
      operation.parameters = operation.parameters?.filter(each => each.in === 'path' || each.in === 'query')
    }
  const { responses: _r, headers: _h, examples: _e, parameters: _p, ...components } = document.components
  return { ...document, components }
}

const mapValues = <T, R>(object: Record<string, T>, change: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))

async function typesOf(document: Document): Promise<string> {
  // The console has it, with the TypeScript 5 that it needs; the one of this project is newer.
  const require = createRequire(join(ROOT, 'web/package.json'))
  const generator = require('openapi-typescript') as Generator
  const nodes = await generator.default(JSON.stringify(document), { defaultNonNullable: false })
  const text = generator.astToString(nodes)
  return (
    text
      // Half of the text says which methods a path does not have.
      .replaceAll(
        /^ +(?:get|put|post|delete|options|head|patch|trace|header|cookie|query|path)\?: never;\n/gm,
        '',
      )
      .replaceAll(/^ +requestBody\?: never;\n/gm, '')
      .replaceAll(/^ +headers: \{\n +\[name: string\]: unknown;\n +\};\n/gm, '')
      .replaceAll(/^( +parameters): \{\n +\};\n/gm, '')
      .replaceAll(/^( +)/gm, spaces => ' '.repeat(spaces.length / 2))
  )
}

if (import.meta.main) {
  await writeSchema()
  await writeFile(join(ROOT, KEYED_FILE), await keyedText())
}
