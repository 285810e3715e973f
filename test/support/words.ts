import { readDocument } from './openapi.ts'
import type { Answer, TestService } from './service.ts'

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  additionalProperties?: boolean
}
interface Operation { operationId: string; requestBody?: { content: Record<string, { schema: Schema }> } }

// Strings that are no words of a person's own: they name something that is there, or are never kept as they came.
const NO_TEXT = [
  /Id$/, /(?:amount|price|budget|counterPrice|expectedHeld)$/, /(?:milestoneKey|freeze|toUsername|responderSlug|Address)$/,
  /(?:password|Password|token|Token|totpCode|apiKey|challengeSolution|botToken|cardNumber|confirmPhrase)$/,
]

/** The body of every operation that takes one. */
const operations = new Map<string, { method: string; url: string; schema: Schema }>()
const { paths } = readDocument<{ paths: Record<string, Record<string, Operation>> }>()
for (const [url, methods] of Object.entries(paths)) {
  for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
    operations.set(operationId, { method: method.toUpperCase(), url, schema: Object.values(requestBody?.content ?? {})[0]?.schema ?? {} })
  }
}

const alternatives = (schema: Schema): Schema[] => schema.anyOf ?? [schema]
const isFree = (schema: Schema): boolean => Object.keys(schema).every(key => key === 'description')

/** The places of a body where a caller may write what it likes, such as `milestones[].title`; `.*` is a key of one's own. */
function textsIn(schema: Schema, path = ''): string[] {
  return alternatives(schema).flatMap(each => {
    if (each.type === 'object') {
      const own = Object.entries(each.properties ?? {}).flatMap(([name, field]) => textsIn(field, path ? `${path}.${name}` : name))
      return each.additionalProperties && path ? [...own, `${path}.*`] : own
    }
    if (each.type === 'array') return textsIn(each.items ?? {}, `${path}[]`)
    const text = isFree(each) || (each.type === 'string' && !each.enum && each.const === undefined && each.format !== 'date-time')
    return text && path && !NO_TEXT.some(pattern => pattern.test(path)) ? [path] : []
  })
}

/** Every text of every operation, as `operationId path`. */
export const allTexts = (): string[] =>
  [...operations].flatMap(([id, { schema }]) => [...new Set(textsIn(schema))].map(path => `${id} ${path}`))

export interface Saying {
  path?: Record<string, string>
  /** Fields with a value that must be so; null leaves one out. */
  body?: Record<string, unknown>
  token?: string
  headers?: Record<string, string>
  /** The status of a call that is kept although it is refused. */
  refused?: number
}

/** Somebody who fills every field of every call with words of their own, so that these can be looked for. */
export class Speaker {
  readonly #service: TestService
  /** The texts said so far, each with its word, in order. */
  readonly words: { text: string; word: string }[] = []

  constructor(service: TestService) {
    this.#service = service
  }

  /** The word for one text, to be put into a value that must have a form. */
  word(operationId: string, path: string): string {
    const word = `canary${String(this.words.length).padStart(4, '0')}z`
    this.words.push({ text: `${operationId} ${path}`, word })
    return word
  }

  /** One call that must succeed: every text that `body` leaves out is a word of its own. */
  async say<Body>(operationId: string, { path = {}, body = {}, token, headers, refused }: Saying = {}): Promise<Answer<Body>> {
    const operation = operations.get(operationId)
    if (!operation) throw new Error(`no operation is called ${operationId}`)
    const url = operation.url.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? `no ${name}`)
    const filled = this.#filled(operationId, operation.schema, { value: body, path: '' })
    const answer = await this.#service.http<Body>(operation.method, url, { token, headers, body: filled })
    if (answer.status > 204 && answer.status !== refused) throw new Error(`${operationId} answered ${answer.status}: ${answer.text} to ${JSON.stringify(filled)}`)
    return answer
  }

  #filled(operationId: string, schema: Schema, { value, path }: { value: unknown; path: string }): unknown {
    if (value === null) return undefined
    const texts = new Set(textsIn(schema, path))
    const [first = {}] = alternatives(schema).filter(each => each.type !== 'null')
    if (first.type === 'object' && (value === undefined || isObject(value))) return this.#object(operationId, first, { value, path })
    if (value !== undefined) return value
    if (first.type === 'array' && texts.size) return [this.#filled(operationId, first.items ?? {}, { value, path: `${path}[]` })]
    return texts.has(path) ? this.#text(operationId, first, path) : undefined
  }

  #object(operationId: string, schema: Schema, { value = {}, path }: { value?: unknown; path: string }): unknown {
    const given = value as Record<string, unknown>
    const filled: Record<string, unknown> = { ...given }
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      filled[name] = this.#filled(operationId, field, { value: given[name], path: path ? `${path}.${name}` : name })
      if (filled[name] === undefined) delete filled[name]
    }
    // A key of one's own holds a word itself, and one deep below.
    if (schema.additionalProperties && path) filled[this.word(operationId, `${path}.*`)] = { deep: ['canary', 5, null] }
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

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)
