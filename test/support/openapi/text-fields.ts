import { readDocument } from './openapi.ts'
import type { Answer, TestService } from '../service/service.ts'

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  additionalProperties?: boolean
}
interface Operation {
  operationId: string
  requestBody?: { content: Record<string, { schema: Schema }> }
}

// Fields that hold no text of the caller: they identify an existing object, or are not stored as they were sent.
const NO_TEXT = [
  /Id$/,
  /(?:amount|price|budget|counterPrice|expectedHeld|Limit|Threshold|Usd)$/,
  /^(?:defaultModel|allowedModels\[\]|allow\[\]|deny\[\])$/,
  /Counterparties\[\]$/,
  /^(?:criteria|failedCriteria)\[\]$/,
  /(?:milestoneKey|freeze|toUsername|responderSlug|organizationSlug|country|accountNumber|idNumber|Address)$/,
  /(?:password|Password|token|Token|totpCode|apiKey|challengeSolution|botToken|cardNumber|confirmPhrase|^code)$/,
]

/** The body of every operation that takes one. */
const operations = new Map<string, { method: string; url: string; schema: Schema }>()
const { paths } = readDocument<{ paths: Record<string, Record<string, Operation>> }>()
for (const [url, methods] of Object.entries(paths)) {
  for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
    operations.set(operationId, {
      method: method.toUpperCase(),
      url,
      schema: Object.values(requestBody?.content ?? {})[0]?.schema ?? {},
    })
  }
}

const alternatives = (schema: Schema): Schema[] =>
  (schema.anyOf ?? [schema]).flatMap(each =>
    Array.isArray(each.type) ? each.type.map(type => ({ ...each, type })) : [each],
  )
const isFree = (schema: Schema): boolean => Object.keys(schema).every(key => key === 'description')

/** The free-text fields of a body, such as `milestones[].title`; `.*` stands for a key that the caller chooses. */
function textsIn(schema: Schema, path = ''): string[] {
  return alternatives(schema).flatMap(each => {
    if (each.type === 'object') {
      const own = Object.entries(each.properties ?? {}).flatMap(([name, field]) =>
        textsIn(field, path ? `${path}.${name}` : name),
      )
      return each.additionalProperties && path ? [...own, `${path}.*`] : own
    }
    if (each.type === 'array') return textsIn(each.items ?? {}, `${path}[]`)
    const text =
      isFree(each) ||
      (each.type === 'string' && !each.enum && each.const === undefined && each.format !== 'date-time')
    return text && path && !NO_TEXT.some(pattern => pattern.test(path)) ? [path] : []
  })
}

/** Every free-text field of every operation, as `operationId path`. */
export const allTexts = (): string[] =>
  [...operations].flatMap(([id, { schema }]) => [...new Set(textsIn(schema))].map(path => `${id} ${path}`))

export interface CallOptions {
  path?: Record<string, string>
  /** Fixed values of fields; null omits a field. */
  body?: Record<string, unknown>
  token?: string
  headers?: Record<string, string>
  /** The status of a call that is stored although it is refused. */
  refused?: number
}

/** A client that writes its own word into each free-text field of each call, so that a test can search for them. */
export class CanaryClient {
  readonly #service: TestService
  /** The fields written so far, each with its word, in order. */
  readonly words: { text: string; word: string }[] = []

  constructor(service: TestService) {
    this.#service = service
  }

  /** Returns a new word for a field whose value needs a format, such as a URL. */
  word(operationId: string, path: string): string {
    const word = `canary${String(this.words.length).padStart(4, '0')}z`
    this.words.push({ text: `${operationId} ${path}`, word })
    return word
  }

  /** Sends one call, which must succeed. Every free-text field that `body` does not fix gets its own word. */
  async call<Body>(
    operationId: string,
    { path = {}, body = {}, token, headers, refused }: CallOptions = {},
  ): Promise<Answer<Body>> {
    const operation = operations.get(operationId)
    if (!operation) throw new Error(`no operation is called ${operationId}`)
    const url = operation.url.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? `no ${name}`)
    const filled = this.#filled(operationId, operation.schema, { value: body, path: '' })
    const answer = await this.#service.http<Body>(operation.method, url, { token, headers, body: filled })
    if (answer.status > 204 && answer.status !== refused)
      throw new Error(`${operationId} answered ${answer.status}: ${answer.text} to ${JSON.stringify(filled)}`)
    return answer
  }

  #filled(operationId: string, schema: Schema, { value, path }: { value: unknown; path: string }): unknown {
    if (value === null) return undefined
    const texts = new Set(textsIn(schema, path))
    const [first = {}] = alternatives(schema).filter(each => each.type !== 'null')
    if (first.type === 'object' && (value === undefined || isObject(value)))
      return this.#object(operationId, first, { value, path })
    if (value !== undefined) return value
    if (first.type === 'array' && texts.size)
      return [this.#filled(operationId, first.items ?? {}, { value, path: `${path}[]` })]
    return texts.has(path) ? this.#text(operationId, first, path) : undefined
  }

  #object(
    operationId: string,
    schema: Schema,
    { value = {}, path }: { value?: unknown; path: string },
  ): unknown {
    const given = value as Record<string, unknown>
    const filled: Record<string, unknown> = { ...given }
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      filled[name] = this.#filled(operationId, field, {
        value: given[name],
        path: path ? `${path}.${name}` : name,
      })
      if (filled[name] === undefined) delete filled[name]
    }
    // A key that the caller chooses is a word, and so is a value nested below it.
    if (schema.additionalProperties && path)
      filled[this.word(operationId, `${path}.*`)] = { deep: ['canary', 5, null] }
    return Object.keys(filled).length || value ? filled : undefined
  }

  #text(operationId: string, schema: Schema, path: string): unknown {
    const word = this.word(operationId, path)
    if (isFree(schema)) return { deep: [word, { [word]: 5 }] }
    if (schema.format === 'email') return `${word}@example.com`
    if (schema.format === 'uri' || /Url$|url$/.test(path)) return `https://${word}.example/`
    return word
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
