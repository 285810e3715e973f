import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { DOCUMENT } from '../../support/openapi/openapi.ts'

/** The parts of a JSON Schema that the generator of requests reads. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

export interface Parameter {
  $ref?: string
  in: 'path' | 'query' | 'header'
  name: string
  required?: boolean
  schema: Schema
}

interface Media {
  schema?: Schema
}

interface Written {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>
  security: Record<string, unknown>[]
  'x-required-role'?: string
}

export interface Operation {
  /** `POST /wallets/{id}/fund`. */
  name: string
  method: string
  path: string
  parameters: Parameter[]
  body?: { type: string; schema: Schema; isRequired: boolean; check: ValidateFunction }
  /** Names of security schemes; none where no credential is needed. */
  accepts: string[]
  isPublic: boolean
  isForAdmins: boolean
  /** The JSON Pointer of each documented media type, by status. */
  responses: Map<number, Map<string, string>>
}

const ROOT = 'openapi.json'
const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
  paths: Record<string, Record<string, Written>>
}
const ajv = (formats as unknown as (ajv: Ajv2020) => Ajv2020)(
  new Ajv2020({ strict: false, logger: false, validateSchema: false, code: { optimize: false } }),
)
  .addFormat('display-name', true)
  .addFormat('binary', true)
  .addSchema(document, ROOT)

const escape = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
const pointer = (...keys: string[]): string => `#/${keys.map(escape).join('/')}`

const targetOf = (at: string): unknown =>
  at
    .slice(2)
    .split('/')
    .map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document)

/** What a `$ref` of the document refers to. */
export const resolve = <T extends { $ref?: string }>(value: T): T =>
  value.$ref ? resolve(targetOf(value.$ref) as T) : value

/** The name of a component: `Wallet` of `#/components/schemas/Wallet`. */
export const nameOf = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1)

/** The validator of the schema at a pointer; compiled once. */
export function validatorAt(at: string): ValidateFunction {
  const found = ajv.getSchema(`${ROOT}${encodeURI(at)}`)
  if (!found) throw new Error(`no schema at ${at}`)
  return found
}

/** The schema at a pointer, which may be a reference. */
export const schemaAt = (at: string): Schema => targetOf(at) as Schema

function bodyOf({ requestBody }: Written, at: string[]): Operation['body'] {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (!type || !media?.schema) return undefined
  return {
    type,
    schema: media.schema,
    isRequired: requestBody?.required ?? false,
    check: validatorAt(pointer(...at, 'requestBody', 'content', type, 'schema')),
  }
}

function responsesOf({ responses }: Written, at: string[]): Operation['responses'] {
  return new Map(
    Object.entries(responses).map(([status, response]) => {
      const base = response.$ref ?? pointer(...at, 'responses', status)
      const types = Object.entries(resolve(response).content ?? {})
      return [
        Number(status),
        new Map(
          types.map(([type, { schema }]) => [type, schema ? `${base}/content/${escape(type)}/schema` : '']),
        ),
      ]
    }),
  )
}

/** Every operation of the committed document. */
export const OPERATIONS: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([key, written]) => {
    const at = ['paths', path, key]
    const method = key.toUpperCase()
    return {
      name: `${method} ${path}`,
      method,
      path,
      parameters: (written.parameters ?? []).map(resolve),
      body: bodyOf(written, at),
      accepts: [...new Set(written.security.flatMap(scheme => Object.keys(scheme)))],
      isPublic: written.security.some(scheme => !Object.keys(scheme).length),
      isForAdmins: written['x-required-role'] === 'ADMIN',
      responses: responsesOf(written, at),
    }
  }),
)
