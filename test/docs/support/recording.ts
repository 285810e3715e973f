import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

interface Media {
  schema?: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface DocumentedOperation {
  operationId: string
  security: Record<string, unknown>[]
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

export interface DereferencedDocument {
  paths: Record<string, Record<string, DocumentedOperation>>
}

/** A request with the operation that it reached, and what the document does not allow in it. */
export interface Recorded {
  operationId: string
  problems: string[]
}

/** Whether a request has the credential of a security scheme. */
const CREDENTIALS: Readonly<Record<string, (headers: IncomingMessage['headers']) => boolean>> = {
  accessToken: ({ authorization }) => /^Bearer (?!sk_|rk_|sa_)\S+$/.test(authorization ?? ''),
  accountKey: headers => String(headers['x-api-key'] ?? '').startsWith('sk_'),
  accountKeyAsBearer: ({ authorization }) => /^Bearer sk_\S+$/.test(authorization ?? ''),
  agentKey: headers => String(headers['x-agent-api-key'] ?? '').startsWith('sa_'),
  routingKey: ({ authorization }) => /^Bearer rk_\S+$/.test(authorization ?? ''),
  processorSignature: headers => /^t=\d+,v1=/.test(String(headers['payment-processor-signature'] ?? '')),
  internalSecret: headers => Boolean(headers['x-internal-secret']),
}

/** A server that answers every operation with its example and checks each request against the document. */
export class RecordingServer {
  readonly recorded: Recorded[] = []
  readonly #server: Server
  readonly #operations: { method: string; matches: RegExp; operation: DocumentedOperation }[]
  readonly #ajv = (formats as unknown as (ajv: Ajv2020) => Ajv2020)(
    new Ajv2020({
      strict: false,
      logger: false,
      allErrors: true,
      coerceTypes: false,
      code: { optimize: false },
    }),
  )
    .addFormat('display-name', true)
    .addFormat('binary', true)

  private constructor({ paths }: DereferencedDocument) {
    this.#operations = Object.entries(paths)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({
          method: method.toUpperCase(),
          path,
          matches: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
          operation,
        })),
      )
      // A fixed path comes before one with a parameter.
      .sort((one, other) => one.path.split('{').length - other.path.split('{').length)
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async open(document: DereferencedDocument): Promise<RecordingServer> {
    const recording = new RecordingServer(document)
    await new Promise<void>(resolve => recording.#server.listen(0, '127.0.0.1', resolve))
    return recording
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What was recorded since the last call. */
  take(): Recorded[] {
    return this.recorded.splice(0)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://svc')
    const found = this.#operations.find(
      ({ method, matches }) => method === request.method && matches.test(pathname),
    )
    if (!found) {
      this.recorded.push({ operationId: '', problems: [`no operation ${request.method} ${pathname}`] })
      return void response.writeHead(404).end('{}')
    }
    const { operation } = found
    const problems = [
      ...credentialProblems(operation, request),
      ...this.#queryProblems(operation, searchParams),
      ...this.#bodyProblems(operation, request, Buffer.concat(chunks)),
    ]
    this.recorded.push({ operationId: operation.operationId, problems })
    reply(response, operation)
  }

  #queryProblems({ parameters = [] }: DocumentedOperation, query: URLSearchParams): string[] {
    const known = new Map(parameters.filter(each => each.in === 'query').map(each => [each.name, each]))
    return [
      ...[...query.keys()].filter(name => !known.has(name)).map(name => `the parameter ${name} is not known`),
      ...[...known.values()]
        .filter(({ name, required }) => required && !query.has(name))
        .map(({ name }) => `the parameter ${name} is missing`),
      ...[...known.values()].flatMap(({ name, schema }) => {
        const text = query.get(name)
        // A query is text: the service reads numbers from it.
        return text === null || [text, Number(text)].some(value => this.#ajv.validate(schema, value))
          ? []
          : [`the parameter ${name} does not fit: ${text}`]
      }),
    ]
  }

  #bodyProblems({ requestBody }: DocumentedOperation, request: IncomingMessage, body: Buffer): string[] {
    const type = request.headers['content-type']
    if (!requestBody) return body.length || type ? ['a body where the operation takes none'] : []
    const media = requestBody.content[type ?? '']
    if (!media) return [`the content type ${type} is not documented`]
    if (type !== 'application/json') return body.length ? [] : ['an empty body']
    const validate = this.#ajv.compile(media.schema ?? {})
    return validate(JSON.parse(body.toString())) ? [] : [this.#ajv.errorsText(validate.errors)]
  }
}

function credentialProblems({ security }: DocumentedOperation, { headers }: IncomingMessage): string[] {
  const isMet = security.some(each => Object.keys(each).every(name => CREDENTIALS[name]?.(headers)))
  return isMet ? [] : ['the credential is missing, or of a kind that the operation does not take']
}

function reply(response: ServerResponse, { responses }: DocumentedOperation): void {
  const [status, { content = {} }] = Object.entries(responses).find(([each]) => each < '4') ?? ['200', {}]
  const [type, media] = Object.entries(content)[0] ?? []
  if (status.startsWith('3')) response.setHeader('location', '/')
  if (!type || !media) return void response.writeHead(Number(status)).end()
  response.writeHead(Number(status), { 'content-type': type })
  const [named] = Object.values(media.examples ?? {})
  const example = media.example ?? named?.value
  response.end(type === 'application/json' ? JSON.stringify(example ?? null) : 'data: {}\n\n')
}
