import type { Svc } from './client.ts'
import { ConnectionError, errorOf } from './errors.ts'
import type { BodyOf, CallOptions, ResultOf } from './operations.ts'
import { readEvents } from './sse.ts'

export type ChatRequest = BodyOf<'POST /v1/chat/completions'>
export type ChatCompletion = ResultOf<'POST /v1/chat/completions'>

/** One part of a streamed answer, in the form of OpenAI. */
export interface ChatChunk {
  id: string
  model: string
  choices: {
    index: number
    delta: { role?: string; content?: string | null; tool_calls?: unknown[] }
    finish_reason: string | null
  }[]
  usage?: Record<string, unknown> | null
}

/** Prompts to language models, with a routing key (`rk_`). */
export class Chat {
  readonly #svc: Svc

  constructor(svc: Svc) {
    this.#svc = svc
  }

  /** The whole answer. */
  complete(body: ChatRequest, options: CallOptions = {}): Promise<ChatCompletion> {
    return this.#svc.request('POST /v1/chat/completions', { ...options, body: { ...body, stream: false } })
  }

  /**
   * The answer in parts. Leaving the loop, or `signal`, stops the model, and what came until then is paid. With an
   * `idempotencyKey` of yours it is not stopped: a stream that is cut off throws a ConnectionError, and the same request with
   * the key returns the whole answer, which is paid once.
   */
  async *stream(body: ChatRequest, options: CallOptions = {}): AsyncGenerator<ChatChunk> {
    const { idempotencyKey = null } = options
    const cut = (cause?: unknown) =>
      new ConnectionError('The answer was cut off', { cause, idempotencyKey: idempotencyKey ?? undefined })
    const response = await this.#svc.open('POST /v1/chat/completions', {
      ...options,
      idempotencyKey,
      body: { ...body, stream: true },
    })
    if (!response.body) throw cut()
    try {
      for await (const { data } of readEvents(response.body)) {
        if (data === '[DONE]') return
        const chunk = JSON.parse(data) as ChatChunk & { error?: object }
        if (chunk.error) throw errorOf(502, JSON.stringify({ error: chunk.error }), response.headers)
        yield chunk
      }
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof TypeError || error instanceof SyntaxError) throw cut(error)
      throw error
    }
    throw cut()
  }
}
