import { setTimeout as delay } from 'node:timers/promises'
import type { ChatChunk } from '../core/chat.ts'
import { UpstreamFailure, type UpstreamCall, type UpstreamStream } from '../core/upstream.ts'
import type { Fault, FaultKind } from './faults.ts'

const RETRY_AFTER_MS = 1000
/** Chunks that come before the answer breaks off. */
const CHUNKS_BEFORE = 3

/** Kinds that fail before anything of the answer comes. */
const AT_ONCE: Partial<Record<FaultKind, () => UpstreamFailure>> = {
  rate_limited: () => new UpstreamFailure('rate_limited', 'The provider is rate limited', { status: 429 }),
  rate_limited_retry_after: () =>
    new UpstreamFailure('rate_limited', 'The provider is rate limited', {
      status: 429,
      retryAfterMs: RETRY_AFTER_MS,
    }),
  server_error: () => new UpstreamFailure('server_error', 'The provider answered 500', { status: 500 }),
  unavailable: () => new UpstreamFailure('server_error', 'The provider answered 503', { status: 503 }),
  empty: () => new UpstreamFailure('empty', 'The provider answered without a body', { status: 200 }),
  wrong_content_type: () =>
    new UpstreamFailure('malformed', 'The provider answered with text/html', { status: 200 }),
  reset: () => new UpstreamFailure('connection', 'The provider closed the connection'),
  credentials: () => new UpstreamFailure('credentials', 'The provider refused the key', { status: 401 }),
  refused: () => new UpstreamFailure('refused', 'The provider refused the request', { status: 400 }),
}

const BROKEN_OFF: Partial<Record<FaultKind, () => UpstreamFailure>> = {
  cut_mid_stream: () => new UpstreamFailure('cut', 'The answer of the provider broke off', { status: 200 }),
  malformed_chunk: () =>
    new UpstreamFailure('malformed', 'The provider sent a malformed chunk', { status: 200 }),
}

/** Ends the call as the fault says, or proceeds where it does not concern a call that waits for the whole answer. */
export async function completeWithFault<Result>(
  fault: Fault,
  call: Pick<UpstreamCall, 'signal' | 'totalMs'> & { firstByteMs?: number },
  proceed: () => Promise<Result>,
): Promise<Result> {
  await failAtOnce(fault, call)
  const broken = BROKEN_OFF[fault.kind]?.()
  if (broken) throw broken
  if (fault.kind === 'slow_drip') await waitUntil(fault.delayMs, call, performance.now() + call.totalMs)
  return proceed()
}

export async function streamWithFault(
  fault: Fault,
  call: UpstreamCall,
  proceed: () => Promise<UpstreamStream>,
): Promise<UpstreamStream> {
  const deadline = performance.now() + call.totalMs
  await failAtOnce(fault, call)
  const stream = await proceed()
  return { ...stream, chunks: breakOff(stream.chunks, fault, call, deadline) }
}

async function failAtOnce(
  { kind }: Fault,
  call: Pick<UpstreamCall, 'signal' | 'totalMs'> & { firstByteMs?: number },
): Promise<void> {
  if (kind === 'hang_before_headers' || kind === 'hang_after_headers') {
    await delay(Math.min(call.firstByteMs ?? call.totalMs, call.totalMs), undefined, { signal: call.signal })
    throw new UpstreamFailure('timeout', 'The provider did not answer in time')
  }
  const failure = AT_ONCE[kind]?.()
  if (failure) throw failure
}

async function* breakOff(
  chunks: AsyncIterable<readonly ChatChunk[]>,
  { kind, delayMs }: Fault,
  call: UpstreamCall,
  deadline: number,
): AsyncGenerator<readonly ChatChunk[]> {
  let count = 0
  for await (const batch of chunks) {
    const broken = count >= CHUNKS_BEFORE ? BROKEN_OFF[kind]?.() : undefined
    if (broken) throw broken
    if (kind === 'slow_drip') await waitUntil(delayMs, call, deadline)
    count += 1
    yield batch
  }
}

async function waitUntil(
  ms: number,
  { signal }: Pick<UpstreamCall, 'signal'>,
  deadline: number,
): Promise<void> {
  const left = deadline - performance.now()
  await delay(Math.max(Math.min(ms, left), 0), undefined, { signal })
  if (ms >= left) throw new UpstreamFailure('timeout', 'The provider did not finish in time')
}
