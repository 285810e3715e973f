import assert from 'node:assert/strict'
import { readConfig } from '#platform/kernel/config'
import type { ChatChunk, ChatRequest, ToolCallDelta } from '../../../server/modules/gateway/core/chat.ts'
import type { ProviderApi, ProviderId } from '../../../server/modules/gateway/core/model.ts'
import {
  UpstreamFailure,
  type Upstream,
  type UpstreamCall,
} from '../../../server/modules/gateway/core/upstream.ts'
import { createUpstream } from '../../../server/modules/gateway/providers/index.ts'
import { ProgrammableUpstream, type Step } from './upstream.ts'

export type ProviderAndApi = readonly [ProviderId, ProviderApi]

export const PROVIDER_APIS: readonly ProviderAndApi[] = [
  ['openai', 'openai-chat'],
  ['anthropic', 'anthropic-messages'],
  ['openai', 'openai-responses'],
]
const PATIENT_MS = 30_000

export const upstreamParts = (env: Record<string, string>) => ({ config: readConfig(env), memo: new Map() })

/** A call with a short conversation, with time enough for a slow machine. */
export function upstreamCall(
  [provider, api]: ProviderAndApi,
  request: Partial<ChatRequest> = {},
  more: Partial<UpstreamCall> = {},
): UpstreamCall {
  return {
    model: {
      id: `model-of-${provider}`,
      provider,
      tier: 'economy',
      context: 1000,
      maxOutput: 1000,
      capabilities: { vision: true, tools: true, json_schema: true, reasoning: true },
      api,
    },
    request: { model: 'auto', messages: [{ role: 'user', content: 'Hi' }], ...request },
    maxTokens: 64,
    signal: new AbortController().signal,
    firstByteMs: PATIENT_MS,
    totalMs: PATIENT_MS,
    ...more,
  }
}

/** The chunks of a stream, and the error that ended it. */
export async function readStream(
  upstream: Upstream,
  call: UpstreamCall,
): Promise<{ chunks: ChatChunk[]; error: unknown; kind: string | null; usage: unknown }> {
  const chunks: ChatChunk[] = []
  try {
    const stream = await upstream.stream(call)
    for await (const batch of stream.chunks) chunks.push(...batch)
    return { chunks, error: null, kind: null, usage: stream.usage() }
  } catch (error) {
    return { chunks, error, kind: error instanceof UpstreamFailure ? error.kind : String(error), usage: null }
  }
}

export async function upstreamFailure(run: Promise<unknown>): Promise<UpstreamFailure> {
  const error: unknown = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof UpstreamFailure, String(error))
  return error
}

/** Puts the chunks of the first choice together as clients do. */
export function joinChunks(chunks: readonly ChatChunk[]) {
  const choices = chunks.flatMap(chunk => chunk.choices.filter(({ index }) => index === 0))
  const textOf = (key: string) =>
    choices.map(({ delta }) => (typeof delta[key] === 'string' ? delta[key] : '')).join('')
  const tools: { id?: string; name?: string; arguments: string }[] = []
  for (const delta of choices.flatMap(({ delta }): ToolCallDelta[] => delta.tool_calls ?? [])) {
    const tool = (tools[delta.index] ??= { id: delta.id, name: delta.function?.name, arguments: '' })
    tool.arguments += delta.function?.arguments ?? ''
  }
  return {
    content: textOf('content'),
    refusal: textOf('refusal'),
    reasoning: textOf('reasoning_content'),
    tools,
    finish: choices.at(-1)?.finish_reason,
  }
}

/** The adapters over real HTTP to a programmable upstream. */
export class ProviderTrial {
  readonly server: ProgrammableUpstream
  readonly upstream: Upstream & { stop(): Promise<void> }

  private constructor(server: ProgrammableUpstream, providers: readonly string[]) {
    this.server = server
    this.upstream = createUpstream(upstreamParts(server.settings(...providers)))
  }

  static async open(...providers: ProviderId[]): Promise<ProviderTrial> {
    return new ProviderTrial(await ProgrammableUpstream.open(), providers)
  }

  async close(): Promise<void> {
    await this.upstream.stop()
    await this.server.close()
  }

  get lastBody(): Record<string, unknown> {
    return this.server.requests.at(-1)?.body ?? {}
  }

  /** Sends a request and returns its body as the provider received it. */
  async sent(api: ProviderAndApi, request: Partial<ChatRequest> = {}): Promise<Record<string, unknown>> {
    await this.upstream.complete(upstreamCall(api, request))
    return this.lastBody
  }

  async sentStream(
    api: ProviderAndApi,
    request: Partial<ChatRequest> = {},
  ): Promise<Record<string, unknown>> {
    await readStream(this.upstream, upstreamCall(api, request))
    return this.lastBody
  }

  /** The answer of a step in both forms. */
  async bothForms(api: ProviderAndApi, step: Step) {
    this.server.next(step, step)
    const { completion, usage } = await this.upstream.complete(upstreamCall(api))
    const stream = await readStream(this.upstream, upstreamCall(api, { stream: true }))
    assert.deepEqual([stream.error, stream.usage], [null, usage])
    assert.equal(stream.chunks[0]?.choices[0]?.delta.role, 'assistant')
    return { choice: completion.choices[0], completion, usage, joined: joinChunks(stream.chunks) }
  }
}
