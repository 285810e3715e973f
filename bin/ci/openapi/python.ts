import { readFile } from 'node:fs/promises'
import { pascalCase, snakeCase } from './python-names.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: (string | number | boolean | null)[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: boolean | Schema
}
type Content = Record<string, { schema?: Schema }>
interface Operation {
  operationId: string
  tags?: string[]
  parameters?: { $ref?: string; name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** The types that the generator reads; docs/SDK.md has the configuration for the others. */
const RESPONSE_TYPES = /^(?:text\/.+|application\/(?:json|octet-stream|.+\+json))$/
const BODY_TYPES =
  /^(?:application\/(?:json|octet-stream|x-www-form-urlencoded|.+\+json)|multipart\/form-data)$/
export const OVERRIDES: Readonly<Record<string, string>> = {
  'application/pdf': 'application/octet-stream',
  'application/yaml': 'text/plain',
  'image/png': 'application/octet-stream',
}

/** What openapi-python-client warns about or stops at: the parts of its parser that a document of ours can reach. */
export async function checkPythonClient(): Promise<string[]> {
  const document = JSON.parse(await readFile('openapi/openapi.json', 'utf8')) as Document
  return pythonProblems(document)
}

export function pythonProblems({ paths, components }: Document): string[] {
  const names = new ClassNames()
  for (const [name, schema] of Object.entries(components.schemas)) names.add(schema, '', name)
  const modules = new Set<string>()
  const problems = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).flatMap(operation => {
      const { operationId, tags = ['default'] } = operation
      const module = `${snakeCase(tags[0] ?? '')}.${snakeCase(operationId)}`
      const duplicate = modules.has(module) ? [`two operations are called ${module}`] : []
      modules.add(module)
      return [
        ...duplicate,
        ...parameterProblems(path, operation, names),
        ...mediaProblems(operation, names),
      ].map(problem => `${operationId}: ${problem}`)
    }),
  )
  return [...problems, ...names.problems]
}

function parameterProblems(path: string, { operationId, parameters = [] }: Operation, names: ClassNames) {
  const own = parameters.filter(({ $ref }) => !$ref)
  for (const { name, schema } of own) names.add(schema, operationId, name)
  const identifiers = own.map(each => `${each.in} ${snakeCase(each.name)}`)
  const inPath = new Set([...path.matchAll(/{([A-Za-z_-][\w-]*)}/g)].map(([, name]) => name))
  return [
    ...identifiers
      .filter((each, at) => identifiers.indexOf(each) !== at)
      .map(each => `two parameters ${each}`),
    ...own
      .filter(each => each.in === 'path' && (!each.required || !inPath.has(each.name)))
      .map(({ name }) => `the parameter ${name} is optional or not in the path`),
    ...own
      .filter(each => each.in !== 'query' && each.schema.type === 'array')
      .map(({ name }) => `the list ${name} is not in the query`),
  ]
}

function mediaProblems({ operationId, requestBody, responses }: Operation, names: ClassNames): string[] {
  const unread = (type: string) => !RESPONSE_TYPES.test(OVERRIDES[type] ?? type)
  for (const { schema } of Object.values(requestBody?.content ?? {})) names.add(schema, operationId, 'body')
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const read = Object.keys(content).find(type => !unread(type))
    if (read) names.add(content[read]?.schema, operationId, `response_${status}`)
  }
  return [
    ...Object.keys(requestBody?.content ?? {})
      .filter(type => !BODY_TYPES.test(type))
      .map(type => `the generator does not send ${type}`),
    ...Object.values(responses).flatMap(({ content = {} }) => {
      const types = Object.keys(content)
      return types.length && types.every(unread) ? [`the generator does not read ${types.join(', ')}`] : []
    }),
  ]
}

/** The classes of the generated client. A schema without a name is called after the place where it stands. */
class ClassNames {
  readonly problems: string[] = []
  readonly #shapes = new Map<string, string>()

  add(schema: Schema | undefined, parent: string, name: string): void {
    if (!schema || schema.$ref) return
    if (schema.type === 'boolean') return
    if (schema.enum) return this.#enumeration(schema.enum, parent, name)
    const types = Array.isArray(schema.type) ? schema.type : []
    const alternatives = [
      ...(schema.anyOf ?? []),
      ...types.map(type => ({ ...schema, type, anyOf: undefined })),
    ]
    if (alternatives.length)
      return alternatives.forEach((each, at) => this.add(each, parent, `${name}_type_${at}`))
    if (schema.type === 'array') return this.#list(schema, parent, name)
    if (schema.type === 'object') this.#model(schema, parent, name)
  }

  #list({ items }: Schema, parent: string, name: string): void {
    if (items) this.add(items, parent, `${name}_item`)
    else this.problems.push(`${parent} ${name}: a list needs items`)
  }

  #model({ properties = {}, additionalProperties }: Schema, parent: string, name: string): void {
    const title = this.#claim(parent, name, `a model at ${parent} ${name}`)
    const identifiers = new Map<string, string>()
    for (const [property, schema] of Object.entries(properties)) {
      const other = identifiers.get(snakeCase(property))
      if (other) this.problems.push(`${title}: ${other} and ${property} get the same name`)
      identifiers.set(snakeCase(property), property)
      this.add(schema, title, property)
    }
    if (typeof additionalProperties === 'object') this.add(additionalProperties, title, 'AdditionalProperty')
  }

  #enumeration(values: NonNullable<Schema['enum']>, parent: string, name: string): void {
    const own = values.filter(value => value !== null)
    const title = this.#claim(parent, name, JSON.stringify(own))
    if (own.some(value => typeof value !== typeof own[0]) || !['string', 'number'].includes(typeof own[0]))
      this.problems.push(`${title}: the values are not all strings or all integers`)
    const keys = own.map((value, at) =>
      /^[a-z]/i.test(String(value)) ? snakeCase(String(value).toUpperCase()) : `value_${at}`,
    )
    const twice = own.filter((_, at) => keys.indexOf(keys[at] ?? '') !== at)
    if (twice.length) this.problems.push(`${title}: ${twice.join(', ')} get names that others have`)
  }

  /** The name of a class; a problem if another shape has it. */
  #claim(parent: string, name: string, shape: string): string {
    const title = pascalCase(parent) + pascalCase(name)
    const known = this.#shapes.get(title)
    if (known !== undefined && known !== shape)
      this.problems.push(`two classes are called ${title}: ${known} and ${shape}`)
    this.#shapes.set(title, shape)
    return title
  }
}
