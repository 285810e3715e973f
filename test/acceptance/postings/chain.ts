import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  acceptedDeal,
  mine,
  must,
  openMarket,
  Payer,
  publishAgent,
  registerHuman,
  type ListedAgent,
  type Person,
  type TestService,
  type X402Answer,
} from '#test'
import type { Books } from './books.ts'

const RECEIVER = '0x52908400098527886E0F7030069857D2E4169EE7'
const OWN_ADDRESS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

/** Sellers that are paid in USDC. */
export class ChainSales {
  readonly service: TestService
  readonly books: Books
  readonly owner: Person
  readonly agent: ListedAgent
  readonly payer: Payer

  private constructor(service: TestService, books: Books, parties: [Person, ListedAgent, Payer]) {
    this.service = service
    this.books = books
    const [owner, agent, payer] = parties
    this.owner = owner
    this.agent = agent
    this.payer = payer
  }

  static async open(service: TestService, books: Books): Promise<ChainSales> {
    const owner = await registerHuman(service)
    const agent = await publishAgent(service, owner)
    return new ChainSales(service, books, [owner, agent, await Payer.open(service, 200)])
  }

  async #post<Body>(path: string, body: object, token = this.owner.token): Promise<Body> {
    const answer = await this.service.http<Body>('POST', path, { token, body })
    if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }

  /** Pays the resource at a URL, until it is final. Returns the hash of the transaction. */
  async #pay(url: string): Promise<string> {
    const { pathname } = new URL(url)
    const headers = await this.payer.header(pathname)
    const { status, text, body } = await this.service.http<X402Answer>('GET', pathname, { headers })
    assert.equal(status, 200, text)
    await mine(this.service)
    return body.txHash ?? ''
  }

  /** What the chain and the service say about where a payment went. */
  async #finalOf(paymentId: string): Promise<string> {
    const { rows } = await this.service.services.db.pool.query<{ status: string }>(
      'select status from x402_payment where id = $1',
      [paymentId],
    )
    return rows[0]?.status ?? ''
  }

  async drivePayments(): Promise<void> {
    const seller = await this.#post<{ id: string }>('/wallets', {
      ownerType: 'AGENT',
      ownerId: this.agent.id,
      currency: 'USDC',
    })
    const order = { agentId: this.agent.id, amount: 5 }
    const { payUrl } = await this.#post<X402Answer>('/payments/x402/initiate', order)
    await this.books.drive(
      ['x402Final', 'x402Gas'],
      async () => ({ tx: await this.#pay(payUrl), seller: seller.id }),
      [{ walletId: seller.id, token: this.owner.token }],
    )
    const fields = { walletAddress: OWN_ADDRESS }
    const other = await publishAgent(this.service, this.owner, fields)
    const provided = await this.#post<X402Answer>('/payments/x402/initiate', { ...order, agentId: other.id })
    await this.books.drive(['x402Provided', 'x402Gas'], async () => {
      const tx = await this.#pay(provided.payUrl)
      assert.equal(await this.#finalOf(provided.transactionId), 'FINAL')
      return { tx, payment: provided.transactionId }
    })
  }

  async driveEscrow(): Promise<void> {
    const market = await openMarket(this.service, { amount: 1 })
    const buyer = await this.#post<{ id: string }>('/wallets', { currency: 'USDC' }, market.buyer.token)
    const { id: negotiationId } = await acceptedDeal(market, { currency: 'USDC' })
    const body = { negotiationId, rail: 'x402' }
    type Initiated = { escrowId: string; checkout: { url: string } }
    const { escrowId, checkout } = await must<Initiated>(market, 'buyer', '/payments/ap2/initiate', body)
    await this.books.drive(
      ['x402Escrow', 'x402Gas'],
      async () => ({ tx: await this.#pay(checkout.url), buyer: buyer.id, escrow: escrowId }),
      [{ walletId: buyer.id, token: market.buyer.token }],
    )
  }

  async driveSuspense(): Promise<void> {
    const admin = await this.service.adminToken()
    const other = await publishAgent(this.service, this.owner)
    const order = { agentId: other.id, amount: 3 }
    const { paymentRequest } = await this.#post<X402Answer>('/payments/x402/initiate', order)
    const arrive = () =>
      this.books.drive('chainSuspense', async () => {
        const tx = await this.payer.transfer(paymentRequest.to, 1_500_000n)
        await mine(this.service)
        return { tx }
      })
    const itemOf = async (tx: string) => {
      type Items = { items: { id: string; txHash: string; resolution: string | null }[] }
      const path = '/admin/x402/transfers?limit=100'
      const { body } = await this.service.http<Items>('GET', path, { token: admin })
      return body.items.find(({ txHash }) => txHash === tx) ?? assert.fail(`no transfer ${tx}`)
    }
    const { tx: first = '' } = await arrive()
    const wallet = await this.#post<{ id: string }>('/wallets', { currency: 'USDC' })
    await this.books.drive(
      'chainAssigned',
      async () => {
        const { id } = await itemOf(first)
        const body = { walletId: wallet.id, reason: 'found' }
        await this.#post(`/admin/x402/transfers/${id}/assign`, body, admin)
        return { transfer: id, to: wallet.id }
      },
      [{ walletId: wallet.id, token: this.owner.token }],
    )
    const { tx: second = '' } = await arrive()
    const { id } = await itemOf(second)
    await this.books.drive('chainReturned', async () => {
      await this.#post(`/admin/x402/transfers/${id}/return`, { reason: 'unknown' }, admin)
      await this.#until(async () => (await itemOf(second)).resolution === 'RETURNED')
      return { transfer: id }
    })
  }

  async drivePayout(): Promise<void> {
    const wallets = await this.service.http<{ wallets: { id: string; currency: string }[] }>(
      'GET',
      `/wallets/agent/${this.agent.id}`,
      { token: this.owner.token },
    )
    const wallet = wallets.body.wallets.find(({ currency }) => currency === 'USDC')?.id ?? ''
    const holders = [{ walletId: wallet, token: this.owner.token }]
    const { payout = '' } = await this.books.drive(
      'chainPayoutRequested',
      async () => {
        const body = { agentId: this.agent.id, rail: 'chain', amount: 2, toAddress: RECEIVER }
        return { payout: (await this.#post<{ id: string }>('/payouts/request', body)).id, wallet }
      },
      holders,
    )
    await this.books.drive(
      'chainPayoutPaid',
      async () => {
        await this.#until(async () => (await this.#payoutStatus(payout)) === 'PAID')
        return { payout }
      },
      holders,
    )
  }

  async #payoutStatus(id: string): Promise<string | undefined> {
    type List = { items: { id: string; status: string }[] }
    const { token } = this.owner
    const { body } = await this.service.http<List>('GET', `/payouts/history/${this.agent.id}`, { token })
    return body.items.find(payout => payout.id === id)?.status
  }

  /** Adds blocks until something holds: what is sent is final after two. */
  async #until(holds: () => Promise<boolean>): Promise<void> {
    for (const deadline = Date.now() + 30_000; !(await holds()); await sleep(100)) {
      assert.ok(Date.now() < deadline, 'not in 30 s')
      await mine(this.service)
    }
  }
}
