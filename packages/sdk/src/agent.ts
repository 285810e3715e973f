import type { Svc } from './client.ts'
import { Deal, type Negotiation } from './deal.ts'
import { ApiError, ConnectionError } from './errors.ts'
import { Lanes } from './lanes.ts'
import type { BodyOf } from './operations.ts'
import { WaitingRuns, type Run } from './run.ts'
import type { components } from './schema.ts'
import { readEvents } from './sse.ts'
import { OUTAGE_RETRIES, sleep } from './transport.ts'

export type AgentData = components['schemas']['Agent']

/** An event of an agent; docs/API.md lists the types. */
export interface AgentEvent {
  id: string
  type: string
  timestamp: string
  agentId: string
  sequence: number
  data: {
    /** Of an event about a deal; others have `runId`, `requestId` or `offerId`. */
    negotiationId?: string
    runId?: string
    requestId?: string
    offerId?: string
    needId?: string
    escrowId?: string | null
    role: 'buyer' | 'seller' | 'requester' | 'responder'
    by?: string
    status?: string
    escrowStatus?: string | null
    price?: string
    currency?: string
    test?: boolean
  }
}

/** What `agent.on` listens to, beside every type of event. */
interface Handled {
  /** A buyer offers a deal, or answers with another price: accept, reject or counter. */
  offer: Deal
  /** The deal is paid into escrow, the buyer asked for changes, or the deal goes on after a dispute or a freeze: deliver. */
  deal: Deal
  /** A buyer paid for one call: `succeed` or `fail`. */
  run: Run
  /** Every event. */
  event: AgentEvent
  /** A handler failed. Without a handler for it `listen` rejects. */
  error: unknown
}
type Handler<T> = (value: T) => unknown

export interface ListenOptions {
  signal?: AbortSignal
  /** Events after this one; without it the open tasks first, then what is new. */
  lastEventId?: string
  /** Deals that are worked on at a time. */
  concurrency?: number
}

const OFFERS: ReadonlySet<string> = new Set(['negotiation.created', 'negotiation.countered'])
const WORK: ReadonlySet<string> = new Set([
  'deal.funded',
  'deal.changes_requested',
  'deal.unfrozen',
  'dispute.withdrawn',
  // Milestones may remain.
  'dispute.resolved',
])
/** Without an event a run begins to wait when its buyer approves it: this often the runs are listed. */
const RUNS_MS = 60_000
/** Three times the pause between two signs of life of the service. */
const IDLE_MS = 45_000
const RECONNECT_MAX_MS = 30_000
const HEARTBEAT_MS = 60_000

/** An agent of yours: its listing, and the events of its deals. */
export class Agent {
  readonly id: string
  readonly slug: string
  readonly data: AgentData
  /** The key of the agent alone (`sa_`), after its creation only. */
  readonly apiKey: string | undefined
  readonly #svc: Svc
  readonly #handlers = new Map<string, Handler<unknown>[]>()

  constructor(svc: Svc, data: AgentData & { apiKey?: string }) {
    const { apiKey, ...agent } = data
    this.#svc = svc
    this.id = agent.id
    this.slug = agent.slug
    this.data = agent
    this.apiKey = apiKey
  }

  async publish(): Promise<this> {
    await this.#svc.request('POST /agents/{id}/publish', { path: { id: this.id } })
    return this
  }

  async update(body: BodyOf<'PATCH /agents/{id}'>): Promise<Agent> {
    return new Agent(
      this.#svc,
      await this.#svc.request('PATCH /agents/{id}', { path: { id: this.id }, body }),
    )
  }

  /** Calls `handler` for offers, for deals and runs to work on, or for a type of event such as `deal.released`. */
  on<Name extends keyof Handled>(name: Name, handler: Handler<Handled[Name]>): this
  on(name: string, handler: Handler<AgentEvent>): this
  on(name: string, handler: (value: never) => unknown): this {
    this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), handler as Handler<unknown>])
    return this
  }

  /** The events of the agent, without an end: a connection that breaks is opened again where it was. */
  events(options: Omit<ListenOptions, 'concurrency'> = {}): AsyncGenerator<AgentEvent> {
    return this.#stream(options)
  }

  /** `onOpen` is called while the position is unknown: what came before the stream is not in it. */
  async *#stream(
    { signal, lastEventId }: Omit<ListenOptions, 'concurrency'>,
    onOpen?: () => void,
  ): AsyncGenerator<AgentEvent> {
    let position = lastEventId
    let pause = 2000
    for (let failures = 0; ;) {
      try {
        const body = await this.#open(position, signal)
        failures = 0
        if (position === undefined) onOpen?.()
        const onControl = ({ id, retryMs }: { id: string | undefined; retryMs: number | undefined }) => {
          position ??= id
          pause = retryMs ?? pause
        }
        for await (const { id, data } of readEvents(body, { idleMs: IDLE_MS, onControl })) {
          yield JSON.parse(data) as AgentEvent
          // Only now: what its reader did not finish comes again.
          position = id ?? position
        }
      } catch (error) {
        signal?.throwIfAborted()
        // The credential or the access has ended; everything else may pass.
        if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error
        if (error instanceof SyntaxError) throw error
        failures++
      }
      await sleep(
        Math.min(RECONNECT_MAX_MS, pause * 2 ** Math.max(0, failures - 1)) * (0.5 + Math.random() / 2),
        signal,
      )
    }
  }

  /** Works until the signal is aborted: the open tasks, then the events. Returns when all handlers have ended. */
  async listen({ signal, concurrency = 8, ...options }: ListenOptions = {}): Promise<void> {
    const stop = new AbortController()
    const onAbort = () => stop.abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) onAbort()
    const lanes = new Lanes(concurrency)
    let failure: { error: unknown } | undefined
    const run = (id: string, task: () => Promise<void>) =>
      lanes.run(id, () =>
        task().catch(async (error: unknown) => {
          if (!stop.signal.aborted && (await this.#emit('error', error))) return
          if (!signal?.aborted) failure ??= { error }
          stop.abort()
        }),
      )
    const runs = new WaitingRuns(this.#svc, this.id, { start: run, work: each => this.#emit('run', each) })
    const lookForRuns = () => {
      if (this.#handlers.has('run')) runs.look(stop.signal)
    }
    const heartbeat = setInterval(() => this.#sendHeartbeat(), HEARTBEAT_MS)
    const look = setInterval(lookForRuns, RUNS_MS)
    this.#sendHeartbeat()
    let reading: Promise<void> | undefined
    try {
      // Read while the stream is open already, so that nothing comes between them.
      const onOpen = () => {
        reading = new Promise(done => {
          run('', () => this.#readOpenTasks(stop.signal, run).finally(done))
        })
        lookForRuns()
      }
      for await (const event of this.#stream({ ...options, signal: stop.signal }, onOpen)) {
        // A handler that answers a task meanwhile would move the pages of the others, of which one would be missing.
        await reading
        run(event.data.negotiationId ?? event.id, () => this.#handle(event, stop.signal))
        if (event.type === 'run.created') lookForRuns()
      }
    } catch (error) {
      if (!stop.signal.aborted) failure ??= { error }
    } finally {
      clearInterval(heartbeat)
      clearInterval(look)
      signal?.removeEventListener('abort', onAbort)
      await lanes.idle()
    }
    if (failure) throw failure.error
  }

  async #open(
    lastEventId: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#svc.open('GET /agents/{id}/events', {
      path: { id: this.id },
      ...(lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } }),
      ...(signal ? { signal } : {}),
    })
    if (!response.body) throw new ConnectionError('The stream of events has no body')
    return response.body
  }

  async #readOpenTasks(
    signal: AbortSignal,
    run: (id: string, task: () => Promise<void>) => void,
  ): Promise<void> {
    const path = { id: this.id }
    // Reading them does not take the runs of the agent: those are for a handler of runs.
    const query = { take: false }
    const found: Negotiation[] = []
    const reading = { path, query, signal, maxRetries: OUTAGE_RETRIES }
    for await (const open of this.#svc.pages('GET /agents/{id}/inbox', reading)) found.push(open)
    // Only now: a handler that answers a task takes it out of the pages that follow.
    for (const open of found) run(open.id, () => this.#workOn(open.id, signal))
  }

  async #handle(event: AgentEvent, signal: AbortSignal): Promise<void> {
    await this.#emit('event', event)
    await this.#emit(event.type, event)
    const { role, negotiationId } = event.data
    if (role !== 'seller' || negotiationId === undefined || !(OFFERS.has(event.type) || WORK.has(event.type)))
      return
    await this.#workOn(negotiationId, signal)
  }

  /** What the state of the deal asks for, so that an event that comes twice does nothing twice. */
  async #workOn(id: string, signal: AbortSignal): Promise<void> {
    // No event comes again for a deal that could not be read.
    const reading = { path: { id }, signal, maxRetries: OUTAGE_RETRIES }
    const deal = new Deal(this.#svc, await this.#svc.request('GET /ap2/negotiations/{id}', reading))
    if (deal.data.responderAgent?.id !== this.id) return
    if (deal.can('accept')) await this.#emit('offer', deal)
    else if (deal.can('deliver')) await this.#emit('deal', deal)
  }

  /** False if nobody listens. */
  async #emit(name: string, value: unknown): Promise<boolean> {
    const handlers = this.#handlers.get(name) ?? []
    for (const handler of handlers) await handler(value)
    return handlers.length > 0
  }

  /** Shows buyers that the agent is there; a failure changes nothing. */
  #sendHeartbeat(): void {
    this.#svc
      .request('POST /a2a/agents/{agentId}/heartbeat', {
        path: { agentId: this.id },
        body: { status: 'available' },
      })
      .catch(() => undefined)
  }
}
