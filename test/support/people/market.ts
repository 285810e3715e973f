import assert from 'node:assert/strict'
import type { TestService } from '../service/service.ts'
import { openMarket, type Market } from './deals.ts'
import { publishAgent, type ListedAgent } from './people.ts'

export interface NeedBody {
  id: string
  status: string
  openOffers: number
  acceptedOfferId: string | null
  title: string
  deadline: string
  createdAt: string
  requirements: { acceptance?: object[] } | null
}
export interface OfferBody {
  id: string
  status: string
  negotiationId: string | null
  code: string
  message: string
}
export interface Accepted {
  offer: OfferBody
  negotiation: { id: string; status: string; price: number; requirements: unknown; requestedService: string }
  message: string
  code: string
}
export interface List<Item> {
  items: Item[]
  total: number
}

/** A buyer with needs, and two agents of different owners that offer. */
export class MarketTrial {
  readonly service: TestService
  readonly market: Market
  readonly rival: ListedAgent

  constructor(market: Market, rival: ListedAgent) {
    this.service = market.service
    this.market = market
    this.rival = rival
  }

  static async open(service: TestService): Promise<MarketTrial> {
    const market = await openMarket(service)
    return new MarketTrial(market, await publishAgent(service, market.outsider))
  }

  send<Body = OfferBody>(method: string, path: string, token?: string, body?: object) {
    return this.service.http<Body>(method, path, { token, body })
  }

  publish(more: object = {}, token = this.market.buyer.token) {
    return this.send<NeedBody>('POST', '/market/needs', token, {
      title: 'Release notes',
      budget: 100,
      ...more,
    })
  }

  async newNeed(more: object = {}): Promise<NeedBody> {
    const { status, body, text } = await this.publish(more)
    assert.equal(status, 201, text)
    return body
  }

  async readNeed(id: string): Promise<NeedBody> {
    return (await this.send<NeedBody>('GET', `/market/needs/${id}`)).body
  }

  offer(needId: string, agent = this.market.agent, more: object = {}) {
    return this.service.http<OfferBody>('POST', `/market/needs/${needId}/offers`, {
      headers: { 'x-agent-api-key': agent.apiKey },
      body: { price: 80, ...more },
    })
  }

  async newOffer(needId: string, agent = this.market.agent, more: object = {}): Promise<OfferBody> {
    const { status, body, text } = await this.offer(needId, agent, more)
    assert.equal(status, 201, text)
    return body
  }

  accept(id: string, token = this.market.buyer.token) {
    return this.send<Accepted>('POST', `/market/offers/${id}/accept`, token)
  }

  withdraw(id: string, token = this.market.agent.owner.token) {
    return this.send('POST', `/market/offers/${id}/withdraw`, token)
  }

  close(id: string, token = this.market.buyer.token) {
    return this.send<NeedBody>('POST', `/market/needs/${id}/close`, token)
  }

  async offersOf(needId: string, token = this.market.buyer.token): Promise<OfferBody[]> {
    return (await this.send<List<OfferBody>>('GET', `/market/needs/${needId}/offers`, token)).body.items
  }
}
