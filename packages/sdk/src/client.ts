import { Agent } from './agent.ts'
import { Chat } from './chat.ts'
import { credentialOf, type CredentialOptions, type Session } from './credential.ts'
import { Deal, type Wait } from './deal.ts'
import { DealError } from './errors.ts'
import type { Arguments, BodyOf, CallOptions, ItemOf, Operation, QueryOf, ResultOf } from './operations.ts'
import { send, type Call, type Settings } from './transport.ts'

export interface SvcOptions extends CredentialOptions {
  /** Address of the service, http://127.0.0.1:3000 by default. */
  baseUrl?: string | undefined
  fetch?: typeof fetch
  /** For each attempt, 2 minutes by default: a delivery waits for its verification. */
  timeoutMs?: number
  /** After failures, 4 by default. */
  maxRetries?: number
  /** A `Retry-After` that is longer ends the request with its error, 60 seconds by default. */
  maxRetryWaitMs?: number
}

export type HireRequest = Omit<BodyOf<'POST /ap2/negotiate'>, 'responderSlug' | 'responderAgentId'> &
  Wait & { slug: string; sourceWalletId?: string }

/** A client of the service. `request` knows every operation; the other members are shorter ways for common ones. */
export class Svc {
  readonly chat = new Chat(this)
  readonly agents = new Agents(this)
  readonly wallet = new Wallet(this)
  readonly #options: SvcOptions
  readonly #settings: Settings

  constructor(options: SvcOptions = {}) {
    this.#options = options
    this.#settings = {
      baseUrl: options.baseUrl ?? 'http://127.0.0.1:3000',
      // A page's fetch must be called as a function of its window.
      fetch: options.fetch ?? ((...input) => fetch(...input)),
      timeoutMs: options.timeoutMs ?? 120_000,
      maxRetries: options.maxRetries ?? 4,
      maxRetryWaitMs: options.maxRetryWaitMs ?? 60_000,
      credential: credentialOf(options, (refreshToken, idempotencyKey) =>
        new Svc({ ...options, apiKey: '', session: undefined }).request('POST /auth/refresh', {
          body: { refreshToken },
          idempotencyKey,
        }),
      ),
    }
  }

  get baseUrl(): string {
    return this.#settings.baseUrl
  }

  /** Registers an agent account with its wallet. The client has its `sk_` key, which is also in `account`. */
  static async registerAgent(
    body: BodyOf<'POST /auth/register-agent'>,
    options: SvcOptions = {},
  ): Promise<Svc & { account: ResultOf<'POST /auth/register-agent'> }> {
    const account = await new Svc(options).request('POST /auth/register-agent', { body })
    return Object.assign(new Svc({ ...options, apiKey: account.agentApiKey }), { account })
  }

  /** Registers a person. The client renews its access token by itself. */
  static async register(body: BodyOf<'POST /auth/register'>, options: SvcOptions = {}): Promise<Svc> {
    return signedIn(await new Svc(options).request('POST /auth/register', { body }), options)
  }

  /** Signs in with email and password; `mfaCode` where the account has a second factor. */
  static async login(
    { mfaCode, ...body }: BodyOf<'POST /auth/login'> & { mfaCode?: string },
    options: SvcOptions = {},
  ): Promise<Svc> {
    const svc = new Svc(options)
    const result = await svc.request('POST /auth/login', { body })
    if ('accessToken' in result) return signedIn(result, options)
    const { mfaToken } = result
    return signedIn(
      await svc.request('POST /auth/login/mfa', { body: { mfaToken, totpCode: mfaCode ?? '' } }),
      options,
    )
  }

  /** The same service with another credential. */
  with(credential: CredentialOptions): Svc {
    const { apiKey, session, onSession } = credential
    return new Svc({ ...this.#options, apiKey, session, onSession })
  }

  /** Sends one operation of the API, such as `POST /ap2/negotiate`, and returns its JSON. */
  async request<O extends Operation>(operation: O, ...[options]: Arguments<O>): Promise<ResultOf<O>> {
    return (await send(this.#settings, operation, callOf(options))) as ResultOf<O>
  }

  /** The response of an operation that streams, as soon as it begins. */
  async open<O extends Operation>(operation: O, ...[options]: Arguments<O>): Promise<Response> {
    return (await send(this.#settings, operation, { ...callOf(options), read: 'stream' })) as Response
  }

  /** The items of a list, page by page. */
  async *pages<O extends Operation>(operation: O, ...[options]: Arguments<O>): AsyncGenerator<ItemOf<O>> {
    const call = callOf(options)
    const query: Call['query'] = { limit: 100, ...call.query }
    for (let offset = Number(query['offset'] ?? 0); ;) {
      const page = (await send(this.#settings, operation, { ...call, query })) as Page<ItemOf<O>>
      const items = page.items ?? page.agents ?? page.data ?? []
      yield* items
      offset += items.length
      if (page.nextCursor) query['cursor'] = page.nextCursor
      // Of a list with a cursor the last page has none, whatever the total has become meanwhile.
      else if (page.nextCursor === null) return
      else if (page.total !== undefined && items.length && (page.totalIsCapped || offset < page.total))
        query['offset'] = offset
      else return
    }
  }

  /** An agent of yours by its slug, for its events. */
  async agent(slug: string): Promise<Agent> {
    return new Agent(this, await this.request('GET /agents/slug/{slug}', { path: { slug } }))
  }

  async deal(id: string): Promise<Deal> {
    return new Deal(this, await this.request('GET /ap2/negotiations/{id}', { path: { id } }))
  }

  deals(query: QueryOf<'GET /ap2/negotiations'> = {}): AsyncGenerator<ItemOf<'GET /ap2/negotiations'>> {
    return this.pages('GET /ap2/negotiations', { query })
  }

  /**
   * Offers a deal, waits until the agent accepts, and pays into escrow. A counter-offer within the budget is accepted;
   * a higher one is a DealError, and the deal stays open.
   */
  async hire({ slug, sourceWalletId, signal, intervalMs, onStatus, ...body }: HireRequest): Promise<Deal> {
    const data = await this.request('POST /ap2/negotiate', { body: { ...body, responderSlug: slug } })
    const deal = new Deal(this, data)
    const wait: Wait = { signal, onStatus, ...(intervalMs === undefined ? {} : { intervalMs }) }
    await deal.until(['ACCEPTED', 'COUNTERED'], wait)
    if (deal.status === 'COUNTERED') {
      if (deal.price > Number(body.budget))
        throw new DealError(`The agent asks for ${deal.price}, more than the budget: deal ${deal.id}`)
      await deal.accept()
    }
    await deal.pay(sourceWalletId ? { sourceWalletId } : {})
    onStatus?.(deal)
    return deal
  }
}

interface Page<Item> {
  items?: Item[]
  agents?: Item[]
  data?: Item[]
  total?: number
  totalIsCapped?: boolean
  nextCursor?: string | null
}

/** Operations differ in their parts; the transport handles all of them alike. */
const callOf = (options: CallOptions | undefined): Call => options ?? {}

function signedIn({ accessToken, refreshToken }: Session, options: SvcOptions): Svc {
  return new Svc({ ...options, session: { accessToken, refreshToken } })
}

class Agents {
  readonly #svc: Svc
  constructor(svc: Svc) {
    this.#svc = svc
  }

  /** Published agents, best first. */
  search(search: string, query: QueryOf<'GET /agents'> = {}): AsyncGenerator<ItemOf<'GET /agents'>> {
    return this.#svc.pages('GET /agents', { query: { search, ...query } })
  }

  /** Creates an agent; `publish` lists it. */
  async create(body: BodyOf<'POST /agents'>): Promise<Agent> {
    return new Agent(this.#svc, await this.#svc.request('POST /agents', { body }))
  }

  mine(): AsyncGenerator<ItemOf<'GET /agents/my-agents'>> {
    return this.#svc.pages('GET /agents/my-agents')
  }
}

class Wallet {
  readonly #svc: Svc
  constructor(svc: Svc) {
    this.#svc = svc
  }

  /** The default wallet of the account that is signed in. */
  async get(): Promise<ResultOf<'GET /wallets/user/{userId}'>> {
    const { id: userId } = await this.#svc.request('GET /users/me')
    return this.#svc.request('GET /wallets/user/{userId}', { path: { userId } })
  }

  /** Pays into the default wallet: by card, in sandbox mode by a test card. */
  async fund(
    amount: number | string,
    options: CallOptions = {},
  ): Promise<ResultOf<'POST /wallets/{id}/fund'>> {
    const { id } = await this.get()
    return this.#svc.request('POST /wallets/{id}/fund', { ...options, path: { id }, body: { amount } })
  }
}
