import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../../server/platform/kernel/id.ts'
import { FAILPOINT_HEADER } from '../../../server/platform/kernel/database/failpoints.ts'
import { Random } from '#test'
import type { Journal } from '../journal.ts'
import type { FailpointPlan } from './failpoints.ts'

export interface Request {
  method: string
  /** As in the OpenAPI document; `id` is the value of its parameter. */
  operation: string
  id?: string
  body?: object
  credential: Credential
  /** A request without a key is only sent again if that changes nothing. */
  key?: string
  /** Statuses of refusals that can happen. */
  refusals?: readonly number[]
  /** Whether a success is final; otherwise the request is sent again. */
  isFinal?(body: unknown): boolean
}

/** `renew` signs in after a 401, where the credential can be renewed. */
export interface Credential {
  headers: Record<string, string>
  renew?: () => Promise<void>
}

export interface Reply<Body = Record<string, unknown>> {
  status: number
  body: Body
}

interface Acknowledged {
  request: Request
  reply: Reply
}

export interface Parts {
  journal: Journal
  plan: FailpointPlan
  /** Addresses of the servers that answer now. */
  ready(): string[]
  /** What the servers logged last of requests that failed. */
  failures(): string
}

const GIVE_UP_MS = 400_000
const ATTEMPT_MS = 40_000
/** Refusals after which a client sends the same request again. */
const AGAIN = new Set(['IDEMPOTENCY_RUNNING', 'DELIVERY_UNDER_WAY'])
const SAMPLE = 60

const codeOf = ({ body }: Reply<unknown>): string | undefined => ((body ?? {}) as { code?: string }).code

/** Sends requests until they have a final answer, with the same key each time, and remembers what was acknowledged. */
export class Api {
  readonly #parts: Parts
  readonly #random: Random
  #acknowledged: Acknowledged[] = []
  /** Keys of acknowledged requests since the last check, which takes them. */
  keys: string[] = []
  /** Requests without a final answer; while there is none, nothing waits for the servers. */
  #waiting = 0
  #lastAnswerAt = Date.now()

  constructor(parts: Parts, seed: number) {
    this.#parts = parts
    this.#random = new Random(seed)
  }

  /** A request that changes something, once. */
  async change<Body = Record<string, unknown>>(request: Request): Promise<Reply<Body>> {
    const keyed = { key: newId(), ...request }
    for (;;) {
      const reply = await this.send<Body>(keyed)
      if (reply.status < 300 && request.isFinal?.(reply.body) === false) {
        await sleep(500)
        continue
      }
      if (reply.status < 300) {
        this.#acknowledged.push({ request: keyed, reply: reply as Reply })
        this.keys.push(keyed.key)
        this.#parts.journal.count('acknowledged')
      }
      return reply
    }
  }

  /** The reply, which is a success or one of the refusals of the request. */
  async send<Body = Record<string, unknown>>(request: Request): Promise<Reply<Body>> {
    if (this.#waiting++ === 0) this.#lastAnswerAt = Date.now()
    return this.#toItsEnd<Body>(request).finally(() => void this.#waiting--)
  }

  async #toItsEnd<Body>(request: Request): Promise<Reply<Body>> {
    const { journal, plan } = this.#parts
    const name = `${request.method} ${request.operation}`
    const isChange = request.key !== undefined
    let point = isChange ? plan.take(name) : undefined
    const replies = new Map<string, { count: number; ms: number }>()
    for (const started = Date.now(); ;) {
      const sentAt = Date.now()
      const reply = await this.#attempt<Body>(request, point)
      if (point !== undefined) {
        if (!reply) plan.broke(name, point)
        // A refusal, such as without a database, is not its whole way.
        else if (reply.status < 300) plan.answered(name, point)
        point = undefined
      }
      if (reply && !(await this.#isToRepeat(request, reply))) return this.#judge(request, reply)
      const kind = reply ? `${reply.status} ${codeOf(reply) ?? ''}` : 'connection broke'
      const { count, ms } = replies.get(kind) ?? { count: 0, ms: 0 }
      replies.set(kind, { count: count + 1, ms: ms + Date.now() - sentAt })
      if (Date.now() - started > GIVE_UP_MS) {
        const counts = [...replies]
          .map(([what, { count, ms }]) => `${count} x ${what} in ${Math.round(ms / 1000)} s`)
          .join(', ')
        journal.find(`${name}: no final answer in ${GIVE_UP_MS / 1000} s: ${counts}`)
        throw new Error(`no answer: ${name}`)
      }
    }
  }

  async #isToRepeat({ credential, method, operation }: Request, reply: Reply<unknown>): Promise<boolean> {
    const { status } = reply
    const code = codeOf(reply)
    // A change by an operator, or of much money, needs a sign-in that is not long ago.
    const isOld = status === 401 || code === 'STEP_UP_REQUIRED'
    if (isOld && credential.renew) await credential.renew()
    else if (status === 500) {
      // The log comes after the response.
      await sleep(300)
      this.#parts.journal.find(`${method} ${operation}: 500 ${code}\n${this.#parts.failures()}`)
    } else if (status === 503 || status === 429) await sleep(100 + this.#random.below(200))
    else if (status === 409 && AGAIN.has(code ?? '')) await sleep(300 + this.#random.below(300))
    else return false
    return true
  }

  #judge<Body>(request: Request, reply: Reply<Body>): Reply<Body> {
    const { method, operation, refusals = [] } = request
    const { code } = reply.body as { code?: string }
    if (reply.status >= 300 && !refusals.includes(reply.status)) {
      this.#parts.journal.find(`${method} ${operation}: refused with ${reply.status} ${code ?? ''}`)
      throw new Error(`${method} ${operation}: ${JSON.stringify(reply.body)}`)
    }
    return reply
  }

  /** One try; undefined if the connection broke. */
  async #attempt<Body>(request: Request, point?: number): Promise<Reply<Body> | undefined> {
    const { method, operation, id = '', body, credential, key } = request
    const base = await this.#server()
    try {
      const response = await fetch(base + operation.replace('{id}', id), {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(ATTEMPT_MS),
        headers: {
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(key ? { 'idempotency-key': key } : {}),
          ...(point === undefined ? {} : { [FAILPOINT_HEADER]: String(point) }),
          ...credential.headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      this.#answered(response.status)
      return { status: response.status, body: (text ? JSON.parse(text) : {}) as Body }
    } catch {
      // Its next try may be answered by another server.
      await sleep(20 + this.#random.below(60))
      return undefined
    }
  }

  #answered(status: number): void {
    if (status >= 500) return
    const now = Date.now()
    this.#parts.journal.silence(this.#lastAnswerAt, now)
    this.#lastAnswerAt = now
  }

  async #server(): Promise<string> {
    for (;;) {
      const ready = this.#parts.ready()
      if (ready.length) return this.#random.pick(ready)
      await sleep(20)
    }
  }

  /** Sends some of the acknowledged requests again: each must replay its response. Then they are no longer remembered. */
  async replay(): Promise<void> {
    const recent = this.#acknowledged
    this.#acknowledged = []
    for (let count = 0; count < SAMPLE && recent.length; count++) {
      const [each] = recent.splice(this.#random.below(recent.length), 1)
      if (each) await this.#compare(each)
    }
  }

  async #compare({ request, reply }: Acknowledged): Promise<void> {
    const { status, body } = await this.send(request)
    this.#parts.journal.count('replayed')
    if (status !== reply.status || !isDeepStrictEqual(body, reply.body))
      this.#parts.journal.find(
        `${request.method} ${request.operation}: the replay differs: ${JSON.stringify(reply.body)} and then ${JSON.stringify(body)}`,
      )
  }
}
