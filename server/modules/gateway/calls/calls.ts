import type { Call, Calls, CompletedCall, StreamedCall } from '../core/call.ts'
import type { ChatChunk, ChatCompletion } from '../core/chat.ts'
import { UpstreamFailure } from '../core/upstream.ts'
import { permissionExclusion } from '../core/routing.ts'
import { firstAnswer, type Answered, type Send } from './attempts.ts'
import { chunksOfCompletion, textOfCompletion } from './collect.ts'
import { Delivery, type OpenStream } from './delivery.ts'
import { requireListPrice } from './parameters.ts'
import type { CallParts } from './parts.ts'
import { namedLimit } from './plan-reservation.ts'
import { CountedPrompt } from './prompt-size.ts'
import { redactRequest } from './redaction.ts'
import { completionUsage, RunningCall } from './running.ts'
import { chargedUsd, estimateUsage, sound } from './usage.ts'
import { priceHeaders } from './headers.ts'

/** The path of every request, composed of the other parts of the gateway. */
export function createCalls(parts: CallParts): Calls {
  return {
    complete: call => answering(parts, call, running => complete(parts, running)),
    stream: call => answering(parts, call, running => stream(parts, running)),
  }
}

/** Admits the call, and makes sure that it ends whatever is thrown. */
async function answering<T>(
  parts: CallParts,
  call: Call,
  answer: (running: RunningCall) => Promise<T>,
): Promise<T> {
  const running = admit(parts, call)
  try {
    return await answer(running)
  } catch (error) {
    running.abandon()
    throw error
  }
}

function admit(parts: CallParts, call: Call): RunningCall {
  const begun = performance.now()
  const { key } = call
  const named = call.request.model ? call.request : { ...call.request, model: key.config.defaultModel }
  requireListPrice(named)
  const request = key.redactPii ? redactRequest(named) : named
  const prompt = new CountedPrompt(parts.tokens, request)
  const admission = parts.limiter.enter(key, prompt)
  return new RunningCall(parts, { call, request, prompt, admission, begun })
}

async function complete(parts: CallParts, running: RunningCall): Promise<CompletedCall> {
  const cached = findCached(parts, running)
  if (cached) return { completion: cached.completion, headers: cached.headers }
  const { model, value } = await decideAndAnswer(parts, running, call => parts.upstream.complete(call))
  const usage = sound(value.usage) ?? estimateUsage(parts, running, textOfCompletion(value.completion))
  const record = running.end({
    outcome: 'completed',
    model,
    usage,
    finishReason: value.completion.choices[0]?.finish_reason ?? null,
  })
  const completion: ChatCompletion = {
    ...value.completion,
    id: running.id,
    created: running.created,
    model: model.id,
    usage: completionUsage(usage, chargedUsd(record)),
    ...simulatedMark(parts),
  }
  storeCached(parts, running, completion)
  const headers = Object.assign(running.headers(model), priceHeaders(record))
  if (running.cacheName) headers['x-svc-cache'] = 'miss'
  return { completion, headers }
}

async function stream(parts: CallParts, running: RunningCall): Promise<StreamedCall> {
  const cached = findCached(parts, running)
  if (cached) return streamOfCompletion(cached.completion, cached.headers)
  const { model, value } = await decideAndAnswer(parts, running, call => openStream(parts, call))
  const events = new Delivery(parts, {
    running,
    model,
    open: value,
    ttftMs: performance.now() - running.begun,
    onComplete: completion => storeCached(parts, running, completion),
  })
  return {
    id: running.id,
    created: running.created,
    model: model.id,
    headers: {
      ...running.headers(model),
      ...(running.cacheName ? { 'x-svc-cache': 'miss' } : {}),
      // The prompt and the first tokens are spent.
      'x-should-retry': 'false',
    },
    events,
  }
}

function decideAndAnswer<T>(parts: CallParts, running: RunningCall, send: Send<T>): Promise<Answered<T>> {
  const { call, request, prompt } = running
  const { key, constraints } = call
  running.decision = parts.router.decide({
    key,
    request,
    prompt,
    ...(constraints ? { constraints } : {}),
  })
  return firstAnswer(parts, running, send)
}

/** Opens a stream and waits for its first chunks: until they come, another model can answer. */
async function openStream(parts: CallParts, call: Parameters<Send<OpenStream>>[0]): Promise<OpenStream> {
  const cancel = new AbortController()
  const stream = await parts.upstream.stream({ ...call, signal: cancel.signal })
  const chunks = stream.chunks[Symbol.asyncIterator]()
  const first: ChatChunk[] = []
  while (first.length === 0) {
    const { done, value } = await chunks.next()
    if (done) throw new UpstreamFailure('empty', 'The provider sent an empty stream')
    first.push(...value)
  }
  return { stream, chunks, first, cancel }
}

const simulatedMark = ({ upstream }: CallParts) =>
  upstream.simulated ? { svc_meta: { simulated: true } } : {}

/** An identical request of the key that was answered a short while ago: it costs nothing, and is recorded. */
function findCached(parts: CallParts, running: RunningCall): CompletedCall | null {
  const { call, request } = running
  const { key } = call
  const name = (running.cacheName = parts.cache.nameOf(key, request))
  const stored = name ? parts.cache.find(name, key) : null
  const model = stored && parts.catalog.find(stored.model)
  // The key or the account may have been restricted since, and the request may have constraints that the name lacks.
  if (!stored || !model || permissionExclusion(model, call)) return null
  const { usage } = stored
  const tokens = {
    input: usage?.prompt_tokens ?? 0,
    output: usage?.completion_tokens ?? 0,
    cacheRead: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWrite: usage?.prompt_tokens_details?.cache_write_tokens ?? 0,
    reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
  }
  const record = running.end({
    outcome: 'cached',
    model,
    usage: tokens,
    finishReason: stored.choices[0]?.finish_reason ?? null,
    isFree: true,
  })
  return {
    completion: {
      ...stored,
      id: running.id,
      created: running.created,
      usage: completionUsage(tokens, 0),
    },
    headers: { ...running.headers(model), ...priceHeaders(record), 'x-svc-cache': 'hit' },
  }
}

function storeCached(
  { cache }: CallParts,
  { cacheName, request }: RunningCall,
  completion: ChatCompletion,
): void {
  // Where the caller names no limit, it may be what the balance afforded then.
  const isCut =
    namedLimit(request) === null && completion.choices.some(({ finish_reason: why }) => why === 'length')
  if (cacheName && !isCut) cache.store(cacheName, completion)
}

/** A stored answer as a stream. */
export function streamOfCompletion(
  completion: ChatCompletion,
  headers: CompletedCall['headers'],
): StreamedCall {
  const { id, created, model, usage } = completion
  async function* events(): StreamedCall['events'] {
    yield { type: 'chunks', chunks: chunksOfCompletion(completion) }
    if (usage) yield { type: 'done', usage }
  }
  return { id, created, model, headers, events: events() }
}
