import type { ChatChunk } from '../core/chat.ts'
import type { Model, ProviderId } from '../core/model.ts'
import { UpstreamFailure, type UpstreamCall, type UpstreamStream } from '../core/upstream.ts'
import type { Adapter, Caller, StreamReader } from './adapter.ts'
import { anthropicMessages } from './anthropic-messages/index.ts'
import { apiOf, jsonOf } from './body.ts'
import { embeddings } from './embeddings.ts'
import type { Endpoint } from './endpoints.ts'
import { openAiChat } from './openai-chat/index.ts'
import { openAiResponses } from './openai-responses/index.ts'
import {
  failureInBody,
  failureOf,
  SseReader,
  type HttpResponse,
  type HttpTransport,
  type SseEvent,
} from './transport/index.ts'

const ADAPTERS = {
  'openai-chat': openAiChat,
  'openai-responses': openAiResponses,
  'anthropic-messages': anthropicMessages,
}
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i
const STREAM_TYPE = /^text\/event-stream\b/i

interface Post {
  model: Model
  path: string
  headers: (key: string) => Record<string, string>
  body: Record<string, unknown>
  deadlines: { signal?: AbortSignal | undefined; firstByteMs: number; totalMs: number }
}

/** Calls the providers over HTTP. */
export class HttpCaller implements Caller {
  readonly #endpoints: Readonly<Record<ProviderId, Endpoint>>
  readonly #transport: HttpTransport

  constructor(endpoints: Readonly<Record<ProviderId, Endpoint>>, transport: HttpTransport) {
    this.#endpoints = endpoints
    this.#transport = transport
  }

  async complete(call: UpstreamCall) {
    const adapter = adapterOf(call)
    const { response, key } = await this.#post(postOf(adapter, call, false), JSON_TYPE)
    return adapter.completion(await answerOf(response, key), call)
  }

  async stream(call: UpstreamCall): Promise<UpstreamStream> {
    const adapter = adapterOf(call)
    const { response, key } = await this.#post(postOf(adapter, call, true), STREAM_TYPE)
    const reader = adapter.reader(call)
    return started(chunksOf(response, reader, key), reader)
  }

  async embed({ model, body, signal, totalMs }: Parameters<Caller['embed']>[0]) {
    const { response, key } = await this.#post(
      {
        model,
        path: embeddings.path,
        headers: embeddings.headers,
        body: embeddings.request(model, body),
        deadlines: { signal, firstByteMs: totalMs, totalMs },
      },
      JSON_TYPE,
    )
    return embeddings.answer(await answerOf(response, key), model)
  }

  /** Sends the request; throws UpstreamFailure unless the provider answers 200 with the type. */
  async #post(
    { model, path, headers, body, deadlines }: Post,
    type: RegExp,
  ): Promise<{ response: HttpResponse; key: string }> {
    const { baseUrl, key } = this.#endpoints[model.provider]
    if (!key) throw new UpstreamFailure('credentials', 'The provider has no key')
    const response = await this.#transport.post({
      url: baseUrl + path,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers(key),
      },
      body: JSON.stringify(body),
      ...deadlines,
    })
    const { status } = response
    if (status !== 200) {
      const retryAfter = response.header('retry-after')
      const retryAfterMs = response.header('retry-after-ms')
      throw failureOf({ status, body: looseJson(await textOf(response)), key, retryAfter, retryAfterMs })
    }
    if (!type.test(response.header('content-type'))) await refuseType(response, key)
    return { response, key }
  }
}

function adapterOf({ model, request }: UpstreamCall): Adapter {
  const api = apiOf(model, request)
  if (api === 'openai-embeddings')
    throw new UpstreamFailure('refused', `${model.id} is an embedding model`, { status: 400 })
  return ADAPTERS[api]
}

const postOf = (adapter: Adapter, call: UpstreamCall, stream: boolean): Post => ({
  model: call.model,
  path: adapter.path,
  headers: adapter.headers,
  body: adapter.request(call, stream),
  deadlines: call,
})

const textOf = async (response: HttpResponse): Promise<string> => (await response.body()).toString('utf8')

/** The body of an error, which need not be JSON. */
function looseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function answerOf(response: HttpResponse, key: string): Promise<Record<string, unknown>> {
  const text = await textOf(response)
  if (!text.trim()) throw empty()
  const body = jsonOf(text)
  const failure = failureInBody(body, key)
  if (failure) throw failure
  return body
}

const empty = () => new UpstreamFailure('empty', 'The provider answered without a body', { status: 200 })

/** A body of another type: empty, an error as JSON in the place of a stream, or something else such as a page. */
async function refuseType(response: HttpResponse, key: string): Promise<never> {
  const text = await textOf(response)
  if (!text.trim()) throw empty()
  const body = looseJson(text)
  const failure = body && typeof body === 'object' ? failureInBody({ ...body }, key) : null
  throw (
    failure ??
    new UpstreamFailure('malformed', 'The provider answered with another content type', { status: 200 })
  )
}

async function* chunksOf(
  response: HttpResponse,
  reader: StreamReader,
  key: string,
): AsyncGenerator<readonly ChatChunk[]> {
  const events = new SseReader()
  let hasContent = false
  for await (const part of response.parts(() => reader.isComplete())) {
    const { chunks, failure } = takePart(events.read(part), reader, key)
    hasContent ||= chunks.length > 0
    // What came before the failure in the same part was delivered.
    if (chunks.length) yield chunks
    if (failure) throw failure
  }
  if (reader.isComplete()) return
  if (!hasContent) throw empty()
  throw new UpstreamFailure('cut', 'The answer of the provider broke off', {
    status: 200,
    usage: reader.usage(),
  })
}

function takePart(
  events: readonly SseEvent[],
  reader: StreamReader,
  key: string,
): { chunks: ChatChunk[]; failure?: unknown } {
  const chunks: ChatChunk[] = []
  try {
    for (const event of events) {
      // Every error object has this text; most events have not.
      if (event.data.includes('"error"')) throwErrorIn(event.data, key)
      for (const chunk of reader.take(event)) chunks.push(chunk)
    }
    return { chunks }
  } catch (failure) {
    return { chunks, failure }
  }
}

function throwErrorIn(data: string, key: string): void {
  if (data === '[DONE]') return
  const failure = failureInBody(jsonOf(data), key)
  if (failure) throw failure
}

/** Waits for the first chunks, so that a stream that fails before them can still be answered by another model. */
async function started(
  chunks: AsyncGenerator<readonly ChatChunk[]>,
  reader: StreamReader,
): Promise<UpstreamStream> {
  let first: IteratorResult<readonly ChatChunk[]> | null = await chunks.next()
  if (first.done) throw empty()
  const iterator: AsyncIterator<readonly ChatChunk[]> = {
    next() {
      if (!first) return chunks.next()
      const result = Promise.resolve(first)
      first = null
      return result
    },
    return: () => chunks.return(undefined),
  }
  return { chunks: { [Symbol.asyncIterator]: () => iterator }, usage: () => reader.usage() }
}
