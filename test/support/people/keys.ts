import assert from 'node:assert/strict'
import type { Market } from './deals.ts'
import { registerHuman, type ListedAgent, type Person } from './people.ts'
import type { TestService } from '../service/service.ts'

export interface MadeKey {
  id: string
  apiKey: string
  agentId: string | null
  organizationId: string | null
  status: string
  message: string
}

export type Answered = Record<string, unknown> & {
  id: string
  items: { id: string }[]
  message: string
  escrowId: string
}

/** An owner whose keys are tried, a buyer and somebody else, each with test credit. */
export class KeyTrial {
  readonly service: TestService
  readonly owner: Person
  readonly buyer: Person
  readonly other: Person

  constructor(service: TestService, people: Record<'owner' | 'buyer' | 'other', Person>) {
    this.service = service
    this.owner = people.owner
    this.buyer = people.buyer
    this.other = people.other
  }

  static async open(service: TestService): Promise<KeyTrial> {
    const trial = new KeyTrial(service, {
      owner: await registerHuman(service),
      buyer: await registerHuman(service),
      other: await registerHuman(service),
    })
    for (const { walletId } of [trial.owner, trial.buyer, trial.other]) await trial.credit(walletId)
    return trial
  }

  async credit(walletId: string, amount = 1000) {
    const body = { walletId, amount, reason: 'test' }
    return this.service.http('POST', '/wallets/admin/test-credit', {
      token: await this.service.adminToken(),
      body,
    })
  }

  /** Requests a key, by default with the token of the owner. */
  create(body: object, { token }: Person = this.owner, path = '/api/v1/service-accounts') {
    return this.service.http<MadeKey>('POST', path, { token, body: { name: 'Bound', ...body } })
  }

  async keyFor(body: object, who?: Person): Promise<string> {
    const made = await this.create(body, who)
    assert.equal(made.status, 201, made.text)
    return made.body.apiKey
  }

  ask(token: string, method: string, path: string, body?: object) {
    return this.service.http<Answered>(method, path, { token, body })
  }

  async idsOf(token: string, path: string): Promise<string[]> {
    return (await this.ask(token, 'GET', path)).body.items.map(({ id }) => id)
  }

  async statusOf(key: string, path: string): Promise<number> {
    return (await this.ask(key, 'GET', path)).status
  }

  async marketOf(agent: ListedAgent, buyer: Person = this.buyer): Promise<Market> {
    return {
      service: this.service,
      agent,
      buyer,
      outsider: this.other,
      admin: await this.service.adminToken(),
    }
  }
}
