import OpenAI, { type ClientOptions } from 'openai'
import { sql } from '#platform/kernel/sql'
import { registerHuman, type Person } from '../people/people.ts'
import type { TestService } from '../service/service.ts'
import { accounts, balanceOf, balancesOf, post } from '#ledger'
import { newId } from '#platform/kernel/id'
import { rememberSecret } from '../database/canary.ts'

export interface UsageRow {
  id: string
  surface: string
  requestedModel: string
  model: string
  inputTokens: number
  outputTokens: number
  cost: bigint
  fee: bigint
  attempts: { model: string; result: string }[]
  outcome: string
  finishReason: string | null
  stream: boolean
}

/** An account with a routing key, which in sandbox mode has test credit. */
export class GatewayTrial {
  readonly service: TestService
  readonly owner: Person
  readonly key: string
  readonly keyId: string

  private constructor(service: TestService, owner: Person, { id, key }: { id: string; key: string }) {
    this.service = service
    this.owner = owner
    this.key = key
    this.keyId = id
  }

  static async open(service: TestService, settings: object = {}): Promise<GatewayTrial> {
    const owner = await registerHuman(service)
    return GatewayTrial.withKey(service, owner, settings)
  }

  static async withKey(service: TestService, owner: Person, settings: object = {}): Promise<GatewayTrial> {
    const { status, text, body } = await service.http<{ id: string; key: string }>('POST', '/v1/auth/keys', {
      token: owner.token,
      body: { name: 'Trial', ...settings },
    })
    if (status !== 201) throw new Error(`no routing key: ${status} ${text}`)
    rememberSecret(body.key, 'routing key')
    return new GatewayTrial(service, owner, body)
  }

  /** The unmodified client of OpenAI, without its own retries unless they are asked for. */
  openai(options: ClientOptions = {}): OpenAI {
    return new OpenAI({
      baseURL: `${this.service.baseUrl}/v1`,
      apiKey: this.key,
      maxRetries: 0,
      ...options,
    })
  }

  /** POST /v1/chat/completions as plain HTTP. */
  chat(body: object, headers: Record<string, string> = {}) {
    return this.service.http<ChatAnswer>('POST', '/v1/chat/completions', {
      token: this.key,
      headers,
      body: { model: 'auto', messages: [{ role: 'user', content: 'Say hello' }], ...body },
    })
  }

  /** The recorded requests of the account, once there are `count`. */
  async usage(count: number): Promise<UsageRow[]> {
    const deadline = Date.now() + 20_000
    for (;;) {
      const rows = await this.service.services.db.rows(sql<UsageRow>`
        select id, surface, requested_model, model, input_tokens, output_tokens, cost, fee, attempts, outcome, finish_reason, stream
        from gateway_usage where account_id = ${this.owner.id} order by at, id`)
      if (rows.length >= count) return rows
      if (Date.now() > deadline) throw new Error(`${rows.length} instead of ${count} requests are recorded`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  /** Takes the routing test credit away, so that nothing can be afforded. */
  async empty(): Promise<void> {
    const { db } = this.service.services
    const account = accounts.testRouting(this.owner.id)
    const amount = await balanceOf(db, account, 'USD')
    if (amount > 0n)
      await db.transaction(tx =>
        post(tx, {
          kind: 'test',
          key: `test/${newId()}`,
          legs: [{ debit: account, credit: accounts.testFloat, amount, asset: 'USD' }],
        }),
      )
  }

  /** The routing balance that the ledger has, with what is leased; `test` in test credit. */
  async balance(test = true): Promise<bigint> {
    const { db } = this.service.services
    const account = test ? accounts.testRouting(this.owner.id) : accounts.routing(this.owner.id)
    const leases = await db.rows(sql<{ id: string }>`
      select id from gateway_lease where account_id = ${this.owner.id} and test = ${test}`)
    const lease = test ? accounts.testRoutingLease : accounts.routingLease
    const balances = await balancesOf(db, [account, ...leases.map(({ id }) => lease(id))], 'USD')
    return [...balances.values()].reduce((sum, balance) => sum + balance, 0n)
  }
}

export interface ChatAnswer {
  id: string
  model: string
  choices: { message: { content: string | null }; finish_reason: string }[]
  usage: { prompt_tokens: number; completion_tokens: number; cost: number }
  svc_meta?: { simulated: boolean }
  statusCode: number
  message: string
  error: string & { message: string; type: string; param: string | null; code: string }
  code: string
  hint?: string
}
