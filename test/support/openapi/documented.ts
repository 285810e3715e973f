import { Ajv, type ValidateFunction } from 'ajv'
import { readDocument } from './openapi.ts'

interface Document {
  paths: Record<
    string,
    { get?: { responses: Record<string, { content?: Record<string, { schema: object }> }> } }
  >
}

const { paths } = readDocument<Document>()
const ajv = new Ajv({ strict: false, logger: false, validateFormats: false, code: { optimize: false } })
const checks = new Map<object, ValidateFunction>()

/** What is wrong with the answer to a GET, by the OpenAPI document. */
export function fits(path: string, answer: unknown): string[] {
  const plain = path.split('?')[0] ?? ''
  const [, operations] =
    Object.entries(paths).find(([url]) => url === plain) ??
    Object.entries(paths).find(([url]) =>
      new RegExp(`^${url.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
    ) ??
    []
  const schema = operations?.get?.responses['200']?.content?.['application/json']?.schema
  if (!schema) return [`no answer is documented for ${path}`]
  const check = checks.get(schema) ?? ajv.compile(schema)
  checks.set(schema, check)
  return check(answer)
    ? []
    : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
