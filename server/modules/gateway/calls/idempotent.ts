import { SECOND } from '#platform/kernel/clock'
import type { Db } from '#platform/kernel/db'
import { claimOf, runResumable, type Claim } from '#platform/kernel/idempotency'
import type { Call, CallEvent, Calls, CompletedCall, StreamedCall } from '../core/call.ts'
import { streamOfCompletion } from './calls.ts'
import { Collector } from './collect.ts'
import { Relay } from './relay.ts'

/** As long as a lease of the routing balance (`funds/timing.ts`): after it the process cannot charge the call any more. */
const LEASE_MS = 30 * SECOND

/**
 * Calls with an Idempotency-Key are answered once: the same request of the same key gets the stored answer at no cost, another
 * one is 422, and 409 while the first runs. A caller who leaves does not end such a call, so that the answer is there when
 * the request comes again. Calls without a key pass through.
 */
export function withIdempotency(calls: Calls, { db, longestMs }: { db: Db; longestMs: number }): Calls {
  const run = (claim: Claim, work: () => Promise<CompletedCall>) =>
    runResumable<CompletedCall>(
      db,
      { claim, status: 201, longestMs, leaseMs: LEASE_MS, isFinal: () => true },
      work,
    )
  return {
    async complete(call) {
      const claim = claimOfCall(call)
      if (!claim) return calls.complete(call)
      let fresh: CompletedCall | undefined
      const outcome = run(claim, async () => (fresh = await calls.complete(detached(call))))
      // What was answered and charged is not lost because it could not be stored.
      const { body, isReplay } = await outcome.catch(error => {
        if (!fresh) throw error
        return { body: fresh, isReplay: false }
      })
      return isReplay ? replayed(body) : body
    },
    async stream(call) {
      const claim = claimOfCall(call)
      if (!claim) return calls.stream(call)
      const opened = Promise.withResolvers<StreamedCall>()
      const relay = new Relay<CallEvent>()
      let last: CallEvent | null = null
      const outcome = run(claim, async () => {
        const stream = await calls.stream(detached(call))
        opened.resolve({ ...stream, events: relay })
        const { answer, end } = await relayEvents(stream, relay)
        last = end
        return answer
      })
      outcome.then(
        ({ body, isReplay }) => {
          const { completion, headers } = replayed(body)
          if (isReplay) opened.resolve(streamOfCompletion(completion, headers))
          else void relay.end(last)
        },
        (error: unknown) => {
          opened.reject(error)
          void relay.end(last)
        },
      )
      return opened.promise
    },
  }
}

function claimOfCall({ key, surface, request, idempotencyKey }: Call): Claim | null {
  // By account first, so that the answers are deleted with it.
  const scope = `${key.accountId} ${key.id} gateway ${surface}`
  return claimOf({ key: idempotencyKey, scope, content: request })
}

const detached = (call: Call): Call => ({ ...call, signal: new AbortController().signal })

const replayed = ({ completion, headers }: CompletedCall): CompletedCall => ({
  completion,
  headers: {
    ...headers,
    'x-svc-cost-usd': '0.00',
    'x-svc-fee-usd': '0.00',
    'Idempotency-Replayed': 'true',
  },
})

/** Passes the events on except the last one, which waits until the answer is stored. Throws what broke the stream off. */
async function relayEvents(
  { id, created, model, headers, events }: StreamedCall,
  relay: Relay<CallEvent>,
): Promise<{ answer: CompletedCall; end: CallEvent }> {
  const collector = new Collector()
  let meta: unknown
  for await (const event of events) {
    if (event.type === 'error') {
      await relay.push(event)
      throw event.error
    }
    if (event.type === 'done') {
      const completion = collector.completion({ id, created, model }, event.usage)
      return {
        answer: { completion: { ...completion, ...(meta ? { svc_meta: meta } : {}) }, headers },
        end: event,
      }
    }
    meta ??= event.chunks[0]?.['svc_meta']
    collector.add(event.chunks)
    await relay.push(event)
  }
  throw new Error('the stream ended without its last event')
}
