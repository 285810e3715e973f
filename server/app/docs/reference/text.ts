import {
  isReference,
  type Document,
  type Operation,
  type Parameter,
  type Response,
} from '../../openapi/model.ts'
import { fieldsOf, resolverOf, typeOf, type Resolve } from './fields.ts'
import { jsonOf } from './literals.ts'
import { samplesOf } from './samples.ts'

/** The operations of one tag as a page of the reference. */
export interface ReferencePage {
  path: string
  title: string
  description: string
  operations: readonly ReferenceOperation[]
}

export interface ReferenceOperation {
  method: string
  path: string
  operation: Operation
}

const slugOf = (tag: string): string => tag.toLowerCase().replaceAll(/\W+/g, '-')

/** The pages of the reference, in the order of the tags. */
export function referencePages(document: Document): ReferencePage[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  return (document.tags ?? []).map(({ name, description = '' }) => ({
    path: `reference/${slugOf(name)}`,
    title: name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }))
}

/** The start of the reference: every operation by tag. */
export const indexText = (pages: readonly ReferencePage[]): string =>
  [
    '# API reference',
    'Every operation with its fields, an example response, and samples in curl, TypeScript ([SDK](/docs/sdk)) and Python (its standard library alone). Conventions that all operations share are in [API conventions](/docs/api). The document for programs is [/openapi.json](/openapi.json) or [/openapi.yaml](/openapi.yaml).',
    ...pages.flatMap(page => [`## [${page.title}](/docs/${page.path})`, page.description, linksTo(page)]),
  ].join('\n\n')

const linksTo = ({ path, operations }: ReferencePage): string =>
  tableOf(
    ['Operation', ''],
    operations.map(each => [
      `[\`${each.method} ${each.path}\`](/docs/${path}#${each.operation.operationId})`,
      each.operation.summary,
    ]),
  )

/** One page of the reference as Markdown. */
export function pageText(page: ReferencePage, document: Document, baseUrl: string): string {
  const resolve = resolverOf(document)
  return [
    `# ${page.title}`,
    page.description,
    linksTo(page),
    ...page.operations.flatMap(each => operationText(each, { document, resolve, baseUrl })),
  ].join('\n\n')
}

interface Context {
  document: Document
  resolve: Resolve
  baseUrl: string
}

function operationText(request: ReferenceOperation, { document, resolve, baseUrl }: Context): string[] {
  const { method, path, operation } = request
  const parameters = (operation.parameters ?? []).filter(({ name }) => name)
  const [, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const fields = body?.schema ? fieldsOf(body.schema, resolve) : []
  return [
    `## ${operation.summary} {#${operation.operationId}}`,
    `\`${method} ${path}\``,
    operation.description ?? '',
    ...(parameters.length ? ['**Parameters**', parameterTable(parameters, resolve)] : []),
    ...(fields.length
      ? [
          '**Body**',
          tableOf(
            ['Field', 'Type', ''],
            fields.map(({ name, type, isRequired, description }) => [
              `\`${name}\`${isRequired ? ' (required)' : ''}`,
              type,
              description,
            ]),
          ),
        ]
      : []),
    ...samplesOf(request, baseUrl).map(({ language, code }) => fence(language, code)),
    ...responseText(operation, document),
  ]
}

const parameterTable = (parameters: readonly Parameter[], resolve: Resolve): string =>
  tableOf(
    ['Parameter', 'Type', ''],
    parameters.map(({ name = '', in: place = '', required, schema = {}, description = '' }) => [
      `\`${name}\` in ${place}${required ? ' (required)' : ''}`,
      typeOf(schema, resolve),
      description,
    ]),
  )

/** The first success with its example, and the other statuses. */
function responseText({ responses }: Operation, document: Document): string[] {
  const [status = '', response] = Object.entries(responses).find(([each]) => each < '4') ?? []
  const example = response && !isReference(response) ? exampleOf(response, document) : undefined
  const errors = Object.keys(responses).filter(each => each >= '4')
  const parts = [
    status ? `**Response ${status}**` : '',
    errors.length ? `${status ? 'Errors' : '**Response**'}: ${errors.join(', ')}.` : '',
  ].filter(Boolean)
  return [
    parts.join('. ').replace('**. Errors', '**. Errors'),
    ...(example === undefined ? [] : [fence('json', jsonOf(example))]),
  ]
}

function exampleOf({ content = {} }: Response, document: Document): unknown {
  const { example, examples = {} } = content['application/json'] ?? {}
  if (example !== undefined) return example
  const [reference] = Object.values(examples)
  const named = document.components.examples?.[reference?.$ref.replace('#/components/examples/', '') ?? '']
  return typeof named === 'object' && named !== null && 'value' in named ? named.value : undefined
}

const fence = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``

const cellOf = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map(row => row.map(cellOf))]
    .map(row => `| ${row.join(' | ')} |`)
    .join('\n')
