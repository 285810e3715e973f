import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { accounts, balanceOf } from '#ledger'
import { historyOf } from '#platform/kernel/machine'
import { fund, type Person } from './people.ts'
import type { TestService } from '../service/service.ts'

/** Test number of the sandbox processor for a bank account that payouts arrive at. */
export const BANK = '000123456789'

/** Whose bank account it is: the caller's by default. */
interface BankOwner {
  agentId?: string
  organizationSlug?: string
}
interface TestNumbers {
  accountNumber?: string
  idNumber?: string
}

/** Connects a test bank account of the sandbox processor and completes the onboarding. Returns the connected account. */
export async function connectBank(
  service: TestService,
  token: string,
  { accountNumber = BANK, idNumber = '000000000', ...owner }: BankOwner & TestNumbers = {},
): Promise<string> {
  const of = owner.agentId ? '' : owner.organizationSlug ? '/org' : '/user'
  const setup = await service.http<{ accountId: string; onboardingUrl: string }>(
    'POST',
    `/payouts${of}/setup`,
    { token, body: owner },
  )
  if (setup.status !== 201) throw new Error(`cannot set up payouts: ${setup.status} ${setup.text}`)
  const { pathname } = new URL(setup.body.onboardingUrl)
  const done = await service.http('POST', pathname, { body: { accountNumber, idNumber } })
  if (done.status !== 200) throw new Error(`cannot complete the onboarding: ${done.status} ${done.text}`)
  return setup.body.accountId
}

export interface Payout {
  id: string
  status: string
  amount: string
  failureCode: string | null
  failureReason: string | null
  createdAt: string
  sendAt: string | null
  completedAt: string | null
  destination: string
  code: string
  message: string
}

/** The payouts of one person, and what the books and the sandbox processor know of them. */
export class PayoutTrial {
  readonly service: TestService
  readonly person: Person

  constructor(service: TestService, person: Person) {
    this.service = service
    this.person = person
  }

  /** Connects a bank account and funds the wallet. */
  async ready(amount: number, accountNumber?: string): Promise<void> {
    await connectBank(this.service, this.person.token, accountNumber === undefined ? {} : { accountNumber })
    await fund(this.service, this.person, amount)
  }

  request(body: object, headers: Record<string, string> = {}) {
    const { token } = this.person
    return this.service.http<Payout>('POST', '/payouts/user/request', { token, body, headers })
  }

  /** The id of a payout, whose request must succeed. */
  async requested(amount: number): Promise<string> {
    const { status, body, text } = await this.request({ amount })
    assert.equal(status, 201, text)
    return body.id
  }

  cancel(id: string, token = this.person.token) {
    return this.service.http<Payout>('POST', `/payouts/${id}/cancel`, { token })
  }

  async list() {
    const { token } = this.person
    type List = { items: Payout[]; total: number }
    return (await this.service.http<List>('GET', '/payouts/user/history', { token })).body
  }

  async find(id: string): Promise<Payout> {
    return (await this.list()).items.find(payout => payout.id === id) ?? assert.fail(`no payout ${id}`)
  }

  async statusOf(id: string): Promise<string> {
    return (await this.find(id)).status
  }

  /** What is available, reserved, and the balance of the wallet. */
  async wallet(): Promise<[string, string, string]> {
    const { token, walletId } = this.person
    type Wallet = { available: string; reserved: string; balance: string }
    const { body } = await this.service.http<Wallet>('GET', `/wallets/${walletId}`, { token })
    return [body.available, body.reserved, body.balance]
  }

  /** The events of a payout so far. */
  async eventsOf(id: string): Promise<string[]> {
    const rows = await this.service.services.db.rows(historyOf('payouts_payout', id))
    return rows.map(({ event }) => event)
  }

  /** Micro-units in transit for a payout. */
  inTransit(id: string): Promise<bigint> {
    return balanceOf(this.service.services.db, accounts.payout(id), 'USD')
  }

  /** How many payouts the processor made for a payout. */
  async sentTimes(id: string): Promise<number> {
    const { rows } = await this.service.services.db.pool.query<{ n: number }>(
      `select count(*)::int as n from platform_processor_object where kind = 'payout' and idempotency_key = $1`,
      [id],
    )
    return rows[0]?.n ?? 0
  }

  /** Returns when the processor has a payout: the job that sends it runs after the timer. */
  async untilSent(id: string): Promise<void> {
    for (let tries = 0; (await this.sentTimes(id)) !== 1; tries++) {
      assert.ok(tries < 1500, `payout ${id} was not sent`)
      await sleep(20)
    }
  }

  /** Lets the time pass for which a payout waits before it is sent (10 minutes in these tests). */
  async send(id: string): Promise<void> {
    await this.service.advance(11 * 60)
    await this.untilSent(id)
  }
}
