import { acceptedDeal, openMarket, type Market } from '../people/deals.ts'
import { joinOrganization, registerHuman, type Person } from '../people/people.ts'
import type { TestService } from '../service/service.ts'

interface Budget {
  userId: string
  role: string
  monthlyLimit: string | null
  spentThisPeriod: string
  remaining: string | null
  resetsOn: string
}
interface Policy extends Omit<Budget, 'userId' | 'role'> {
  perTransactionLimit: string | null
  updatedAt: string | null
}
interface Paid {
  id: string
  escrowId: string
  code: string
  hint: string
  message: string
  details: { limit: string; remaining: string }
}

let counter = 0

/** An organization with an OWNER, an ADMIN, a MEMBER and 10,000 USD, and all ways to spend them. */
export class BudgetTrial {
  readonly service: TestService
  readonly market: Market
  readonly owner: Person
  readonly admin: Person
  readonly member: Person
  slug = ''
  organizationId = ''
  walletId = ''

  private constructor(market: Market, admin: Person, member: Person) {
    this.service = market.service
    this.market = market
    this.owner = market.buyer
    this.admin = admin
    this.member = member
  }

  static async open(service: TestService): Promise<BudgetTrial> {
    const market = await openMarket(service)
    return new BudgetTrial(market, await registerHuman(service), await registerHuman(service))
  }

  /** The next organization, which has spent nothing yet. */
  async begin(): Promise<void> {
    const { service, owner, admin, member } = this
    this.slug = `budget-works-${counter++}`
    const { slug } = this
    this.organizationId = (await this.must('POST', '/organizations', { slug, name: 'Works' })).id
    await joinOrganization(service, owner, admin, { slug, role: 'ADMIN' })
    await joinOrganization(service, owner, member, { slug, role: 'MEMBER' })
    this.walletId = (await this.must('GET', `/wallets/org/${slug}`)).id
    await this.must('POST', `/wallets/${this.walletId}/fund`, { amount: 10_000 })
  }

  send<Body = Paid>(method: string, path: string, body?: object, { token }: { token: string } = this.owner) {
    return this.service.http<Body>(method, path, { token, body })
  }

  async must<Body = Paid>(method: string, path: string, body?: object): Promise<Body> {
    const answer = await this.send<Body>(method, path, body)
    if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }

  readPolicy = () => this.must<Policy>('GET', `/organizations/${this.slug}/policy`)
  setPolicy = (body: object) => this.must<Policy>('PUT', `/organizations/${this.slug}/policy`, body)
  setBudget = (userId: string, monthlyLimit: number | null, by = this.owner) =>
    this.send<Budget>('PUT', `/organizations/${this.slug}/budgets/${userId}`, { monthlyLimit }, by)
  budgets = () => this.must<{ items: Budget[]; total: number }>('GET', `/organizations/${this.slug}/budgets`)
  spentBy = async ({ id }: Person): Promise<string | undefined> =>
    (await this.budgets()).items.find(({ userId }) => userId === id)?.spentThisPeriod

  /** A second wallet of the organization, with the same currency. */
  async secondWallet(): Promise<string> {
    const owner = { ownerType: 'ORGANIZATION', ownerId: this.organizationId }
    return (await this.must('POST', '/wallets', owner)).id
  }

  transfer = (amount: number, by = this.admin) =>
    this.send(
      'POST',
      `/wallets/${this.walletId}/transfer`,
      { toWalletId: this.market.outsider.walletId, amount },
      by,
    )
  voucher = (amount: number, by = this.admin) =>
    this.send('POST', '/wallet-vouchers', { walletId: this.walletId, amount }, by)
  /** From wallet to wallet into escrow. */
  pay = (amount: number, by: { token: string } = this.admin) =>
    this.send(
      'POST',
      '/payments/ap2/initiate',
      { sourceWalletId: this.walletId, destinationWalletId: this.market.agent.walletId, amount },
      by,
    )
  /** A deal of the OWNER that the seller accepted. */
  payDeal = async (budget: number, more: object = {}) => {
    const { id: negotiationId } = await acceptedDeal(this.market, { budget })
    return this.fundDeal(negotiationId, more)
  }
  fundDeal = (negotiationId: string, more: object = {}) =>
    this.send('POST', '/payments/ap2/initiate', { negotiationId, sourceWalletId: this.walletId, ...more })
  run = (budget: number, by = this.admin) =>
    this.send(
      'POST',
      `/agents/${this.market.agent.id}/execute`,
      { input: {}, budget, sourceWalletId: this.walletId },
      by,
    )
}

/** Status and code of a refusal. */
export const refusalOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code]
