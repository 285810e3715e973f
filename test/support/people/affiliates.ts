import assert from 'node:assert/strict'
import { newId } from '#platform/kernel/id'
import type { TestService } from '../service/service.ts'
import {
  as,
  cardDeal,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  type DealView,
  type Market,
} from './deals.ts'
import { registerHuman, type Person } from './people.ts'

export interface CommissionBody {
  id: string
  affiliateId: string
  escrowId: string
  level: number
  source: string
  amount: string
  currency: string
  clawedBack: string
  status: string
  fraudReason: string | null
  availableAt: string | null
}
export interface Earner extends Person {
  code: string
  profileId: string
}
interface Sums {
  expected: string
  pending: string
  available: string
  paid: string
}

/** An affiliate, and people whom it brought, on a service whose clock may move. */
export class AffiliateTrial {
  readonly service: TestService
  readonly admin: string

  constructor(service: TestService, admin: string) {
    this.service = service
    this.admin = admin
  }

  /** An approved affiliate; `by` is who brought it. */
  async affiliate(by?: Earner, plan?: object): Promise<Earner> {
    const person = by ? await this.referred(by) : await registerHuman(this.service)
    const { token } = person
    const applied = await this.service.http<{ id: string; code: string }>('POST', '/affiliates/apply', {
      token,
      body: { displayName: 'Ada Weekly', acceptTerms: true },
    })
    assert.equal(applied.status, 201, applied.text)
    const { id, code } = applied.body
    await this.decide(`/affiliates/admin/${id}/review`, { decision: 'approve' })
    if (plan) await this.decide(`/affiliates/admin/${id}/commission-plan`, plan)
    return { ...person, code, profileId: id }
  }

  async decide<Body>(path: string, body: object = {}): Promise<Body> {
    const answer = await this.service.http<Body>('POST', path, { token: this.admin, body })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  /** A person who registered with the code of an affiliate. */
  async referred({ code }: Pick<Earner, 'code'>): Promise<Person> {
    const email = `${newId().slice(-12)}@example.com`
    type Registered = { user: { id: string }; accessToken: string; refreshToken: string }
    const { status, text, body } = await this.service.http<Registered>('POST', '/auth/register', {
      body: {
        email,
        displayName: 'Referred',
        password: 'correct horse battery staple',
        affiliateToken: code,
      },
    })
    assert.equal(status, 201, text)
    const { accessToken: token, refreshToken, user } = body
    const wallet = await this.service.http<{ id: string }>('GET', `/wallets/user/${user.id}`, { token })
    return { id: user.id, email, token, refreshToken, walletId: wallet.body.id }
  }

  /** A market whose buyer an affiliate brought, with real money. */
  async market(earner: Pick<Earner, 'code'>, amount = 1000): Promise<Market> {
    const market = await openMarket(this.service, { amount: 1, card: true })
    const buyer = await this.referred(earner)
    const funded = await this.service.http('POST', `/wallets/${buyer.walletId}/fund`, {
      token: buyer.token,
      body: { amount },
    })
    assert.equal(funded.status, 201, funded.text)
    return { ...market, buyer }
  }

  held = (market: Market, more: object = {}): Promise<DealView> => heldDeal(market, { ...more })
  delivered = (market: Market, more: object = {}): Promise<DealView> => deliveredDeal(market, { ...more })

  /** The same of a deal that a card has paid. */
  async deliveredByCard(market: Market): Promise<DealView> {
    const deal = await cardDeal(market)
    await must(market, 'seller', '/ap2/deliver', { negotiationId: deal.id, result: 'done' })
    return deal
  }

  release(market: Market, { escrowId }: Pick<DealView, 'escrowId'>, more: object = {}) {
    return must<{ commission: string; fee: string; netToSeller: string }>(
      market,
      'buyer',
      '/payments/ap2/release',
      { escrowId, ...more },
    )
  }

  refund(market: Market, { escrowId }: Pick<DealView, 'escrowId'>) {
    return as(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
  }

  async commissions({ token }: Pick<Person, 'token'>): Promise<CommissionBody[]> {
    const { status, text, body } = await this.service.http<{ items: CommissionBody[] }>(
      'GET',
      '/affiliates/commissions',
      { token },
    )
    assert.equal(status, 200, text)
    return body.items
  }

  async sums({ token }: Pick<Person, 'token'>): Promise<Sums> {
    return (await this.service.http<{ commissions: Sums }>('GET', '/affiliates/dashboard', { token })).body
      .commissions
  }

  payOut({ token }: Pick<Person, 'token'>) {
    return this.service.http<{
      payments: { amount: string; recovered: string; currency: string }[]
      code: string
    }>('POST', '/affiliates/payout', { token, body: {} })
  }

  async available({ id, token }: Pick<Person, 'id' | 'token'>): Promise<string> {
    return (await this.service.http<{ available: string }>('GET', `/wallets/user/${id}`, { token })).body
      .available
  }
}
