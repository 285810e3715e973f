import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Answer } from '#test'

const PASSWORD = 'correct horse battery'
const PRICE = 1
const STATUSES = ['PENDING', 'ACCEPTED', 'ESCROWED', 'IN_PROGRESS', 'DELIVERED', 'COMPLETED']
/** An earlier attempt still runs, or its process was stopped on the way: a timer goes on with it. */
const BUSY = new Set(['DELIVERY_UNDER_WAY', 'IDEMPOTENCY_RUNNING'])
/** Of a client before each step: enough requests are under way at any time, and the processor is left to what is tested. */
const PAUSE_MS = 50
/** How long one request is repeated, with the same key. */
const PATIENCE_MS = 60_000

export interface LoadDeal {
  id: string
  /** Steps after the negotiation that the service has acknowledged; the last of them is 5. */
  acknowledged: number
  startedAt: Date
  endedAt: Date | null
}

interface Parties {
  buyer: { token: string; walletId: string }
  agent: { id: string; apiKey: string; walletId: string }
}

type Send = (path: string, body: object) => Promise<Answer<{ id: string; escrowId: string; code: string }>>

/**
 * Clients that play deals against one or more running services, and repeat a request that got no answer, 429 or 5xx with the
 * same Idempotency-Key, as a client of the SDK does. They remember what was acknowledged.
 */
export class DealLoad {
  readonly deals: LoadDeal[] = []
  /** Requests that a service took and did not serve: 5xx without 503, which is its word for "repeat this". */
  readonly failures: string[] = []
  /** Connections that were refused or lost, 429 and 503. */
  repeated = 0
  readonly #parties: Parties[] = []
  #urls: readonly string[]
  #turn = 0
  #pauseMs = PAUSE_MS
  #playing: Promise<unknown> | undefined
  #ending = false

  constructor(...urls: string[]) {
    this.#urls = urls
  }

  /** Where the next requests go, in turn. Accounts are made at the first. */
  set urls(urls: readonly string[]) {
    this.#urls = urls
  }

  get ended(): LoadDeal[] {
    return this.deals.filter(({ endedAt }) => endedAt)
  }

  /** With a longer pause where the load is not what is tested, but must go on while something slow happens. */
  async start(clients: number, pauseMs = PAUSE_MS): Promise<this> {
    this.#pauseMs = pauseMs
    for (let number = 0; number < clients; number++) this.#parties.push(await this.#register())
    this.#playing = Promise.all(this.#parties.map(parties => this.#play(parties)))
    return this
  }

  /** Returns when `deals` more deals have ended. */
  async more(deals: number): Promise<void> {
    for (const enough = this.ended.length + deals; this.ended.length < enough;) await sleep(20)
  }

  /** Each client finishes its deal. */
  async stop(): Promise<void> {
    this.#ending = true
    await this.#playing
  }

  /** What of the acknowledged steps of `deals` the service at `baseUrl` does not have. */
  async lost(baseUrl: string, deals: readonly LoadDeal[] = this.deals): Promise<string[]> {
    const found: string[] = []
    const [{ buyer } = { buyer: { token: '' } }] = this.#parties
    for (const { id, acknowledged } of deals) {
      const owner = this.#owners.get(id) ?? buyer
      const { status, body } = await call<{ status: string }>(`${baseUrl}/ap2/negotiations/${id}`, 'GET', {
        token: owner.token,
      })
      if (status !== 200 || STATUSES.indexOf(body.status) < acknowledged)
        found.push(
          `${id}: acknowledged ${STATUSES[acknowledged]}, found ${status === 200 ? body.status : status}`,
        )
    }
    return found
  }
  readonly #owners = new Map<string, Parties['buyer']>()

  async #play({ buyer, agent }: Parties): Promise<void> {
    const byBuyer: Send = (path, body) => this.#repeat(path, body, { authorization: `Bearer ${buyer.token}` })
    const bySeller: Send = (path, body) => this.#repeat(path, body, { 'x-agent-api-key': agent.apiKey })
    while (!this.#ending) {
      const made = await byBuyer('/ap2/negotiate', {
        responderAgentId: agent.id,
        requestedService: 'work',
        budget: PRICE,
      })
      const { id: negotiationId } = made.body
      const deal: LoadDeal = { id: negotiationId, acknowledged: 0, startedAt: new Date(), endedAt: null }
      this.#owners.set(negotiationId, buyer)
      this.deals.push(deal)
      await bySeller('/ap2/respond', { negotiationId, status: 'ACCEPTED' })
      deal.acknowledged++
      const { body } = await byBuyer('/payments/ap2/initiate', { negotiationId })
      deal.acknowledged++
      await bySeller('/ap2/start', { negotiationId })
      deal.acknowledged++
      await bySeller('/ap2/deliver', { negotiationId, result: { text: 'done' } })
      deal.acknowledged++
      await byBuyer('/payments/ap2/release', { escrowId: body.escrowId })
      deal.acknowledged++
      deal.endedAt = new Date()
    }
  }

  /** One request until it has an answer; a conflict counts as done when an earlier attempt got no answer. */
  async #repeat(path: string, body: object, headers: Record<string, string>): ReturnType<Send> {
    const key = randomUUID()
    await sleep(this.#pauseMs)
    const send: Send = (to, content) =>
      call(this.#next() + to, 'POST', { body: content, headers: { ...headers, 'idempotency-key': key } })
    let unanswered = 0
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(20)) {
      const answer = await send(path, body).catch(() => null)
      const isBusy = BUSY.has(answer?.body.code ?? '')
      if (answer && answer.status < 300) return answer
      if (answer && answer.status === 409 && unanswered && !isBusy) return answer
      if (answer && answer.status < 500 && answer.status !== 429 && !isBusy)
        throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
      if (answer && answer.status >= 500 && answer.status !== 503)
        this.failures.push(`${path}: ${answer.status} ${answer.text}`)
      unanswered++
      this.repeated++
    }
    throw new Error(`${path} had no answer in ${PATIENCE_MS / 1000} s`)
  }

  #next(): string {
    return this.#urls[this.#turn++ % this.#urls.length] ?? ''
  }

  async #register(): Promise<Parties> {
    const [base = ''] = this.#urls
    const must = async <Body>(...[path, method, options]: Parameters<typeof call>): Promise<Body> => {
      const answer = await call<Body>(base + path, method, options)
      if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
      return answer.body
    }
    const person = async () => {
      const body = { email: `${randomUUID()}@example.com`, displayName: 'Load', password: PASSWORD }
      const { user, accessToken } = await must<{ user: { id: string }; accessToken: string }>(
        '/auth/register',
        'POST',
        { body },
      )
      return { id: user.id, token: accessToken }
    }
    const [buyer, seller] = [await person(), await person()]
    const { id: walletId } = await must<{ id: string }>(`/wallets/user/${buyer.id}`, 'GET', buyer)
    await must(`/wallets/${walletId}/fund`, 'POST', { token: buyer.token, body: { amount: 10_000 } })
    const agent = await must<Parties['agent']>('/agents', 'POST', {
      token: seller.token,
      body: { name: `Agent ${randomUUID()}` },
    })
    await must(`/agents/${agent.id}/publish`, 'POST', { token: seller.token })
    return { buyer: { token: buyer.token, walletId }, agent }
  }
}
