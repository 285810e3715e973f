import { accounts, balancesOf, post } from '#ledger'
import type { RequestContext, SessionPrincipal } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import type { Leg } from '#platform/kernel/money'
import {
  connectBank,
  fund,
  makeAdmin,
  registerHuman,
  sessionContext,
  startTestService,
  type Instance,
  type Person,
  type TestService,
} from '#test'
import { openDispute, withdrawDispute } from '../../../server/modules/ap2/dispute/dispute.ts'
import { resolveEscrow } from '../../../server/modules/ap2/dispute/decision.ts'
import { lockFunded } from '../../../server/modules/ap2/deal/deal.ts'
import { rulesOf } from '../../../server/modules/ap2/deal/tier.ts'
import { freezeDeal, unfreezeDeal } from '../../../server/modules/ap2/escrow/freeze.ts'
import { initiate } from '../../../server/modules/ap2/escrow/initiate.ts'
import { refundEscrow } from '../../../server/modules/ap2/escrow/refund.ts'
import { releaseEscrow } from '../../../server/modules/ap2/escrow/release.ts'
import { requestPayout } from '../../../server/modules/payouts/payout/request.ts'
import { cancelPayout } from '../../../server/modules/payouts/payout/review.ts'
import { transfer } from '../../../server/modules/wallets/transfer.ts'
import { makeCode } from '../../../server/modules/wallets/vouchers/code.ts'
import { redeemVoucher } from '../../../server/modules/wallets/vouchers/redeem.ts'
import { cancelVoucher, createVoucher } from '../../../server/modules/wallets/vouchers/voucher.ts'
import type { Tx } from '#platform/kernel/db'
import type { Funds } from './model.ts'

const NO_LIMIT = 10n ** 18n
const REASON = 'operator: test'
export const dollars = (micro: bigint): string =>
  `${micro / 1_000_000n}.${String(micro % 1_000_000n).padStart(6, '0')}`

/** One command of the service, in the transaction that it gets; what it returns names what it made. */
export type Command = (tx: Tx, services: Instance['services']) => Promise<{ id: string; code?: string }>

/** Two instances over one database. */
export class Stage {
  readonly service: TestService
  #second: Instance
  readonly #fixtures: Fixture[] = []

  private constructor(service: TestService, second: Instance) {
    this.service = service
    this.#second = second
  }

  static async open(): Promise<Stage> {
    const service = await startTestService({ PAYOUT_HOLD_MINUTES: '10000', PAYOUT_REVIEW_USD: '100000000' })
    return new Stage(service, await service.instance())
  }

  /** With the full check of the ledger. */
  async close(): Promise<void> {
    await this.#second.close()
    await this.service.close()
  }

  instance(which: number): Instance {
    return which === 0 ? this.service : this.#second
  }

  /** Fixtures of programs that run side by side. A later call gets the same ones: each program begins with the same money. */
  async fixtures(count: number): Promise<readonly Fixture[]> {
    while (this.#fixtures.length < count) this.#fixtures.push(await Fixture.open(this))
    return this.#fixtures.slice(0, count)
  }

  /** One of the two instances ends, and another starts; the sessions of all are fresh again. */
  async restart(): Promise<void> {
    await this.service.services.db.pool.query('update identity_session set proved_at = now()')
    await this.#second.close()
    this.#second = await this.service.instance()
  }
}

/** Two people with wallets and bank accounts, and an operator. */
export class Fixture {
  readonly stage: Stage
  readonly people: [Person, Person]
  readonly #contexts: RequestContext<SessionPrincipal>[]
  readonly #operator: RequestContext<SessionPrincipal>
  readonly #bank: Person

  private constructor(stage: Stage, { people, contexts, operator, bank }: Cast) {
    this.stage = stage
    this.people = people
    this.#contexts = contexts
    this.#operator = operator
    this.#bank = bank
  }

  static async open(stage: Stage): Promise<Fixture> {
    const { service } = stage
    const [ada, bob, bank, operator] = [
      await registerHuman(service),
      await registerHuman(service),
      await registerHuman(service),
      await registerHuman(service),
    ]
    await makeAdmin(service, operator)
    for (const { token } of [ada, bob]) await connectBank(service, token)
    await fund(service, bank, 999_999)
    const token = await service.adminToken()
    const body = { walletId: bank.walletId, amount: 900_000, reason: 'test' }
    await service.http('POST', '/wallets/admin/test-credit', { token, body })
    return new Fixture(stage, {
      people: [ada, bob],
      contexts: [await contextOf(service, ada), await contextOf(service, bob)],
      operator: await contextOf(service, operator, 'ADMIN'),
      bank,
    })
  }

  /** Gives both people the same money, whatever they have: one journal with the bank. */
  async settle(has: readonly Funds[], wanted: Funds): Promise<void> {
    const legs: Leg[] = []
    for (const [at, held] of has.entries())
      for (const [kind, account] of [
        ['real', accounts.wallet],
        ['test', accounts.testCredit],
      ] as const) {
        const [person, bank] = [account(this.wallet(at)), account(this.#bank.walletId)]
        const missing = wanted[kind] - held[kind]
        if (missing > 0n) legs.push({ debit: bank, credit: person, amount: missing, asset: 'USD' })
        if (missing < 0n) legs.push({ debit: person, credit: bank, amount: -missing, asset: 'USD' })
      }
    if (!legs.length) return
    const posting = { kind: 'transfer', key: `transfer/${newId()}`, legs }
    await this.stage.service.services.db.transaction(tx => post(tx, posting))
  }

  wallet(person: number): string {
    return this.people[person === 0 ? 0 : 1].walletId
  }

  /** What the two people have. */
  async funds(): Promise<Funds[]> {
    const found = await this.balances(
      [0, 1].flatMap(at => [accounts.wallet(this.wallet(at)), accounts.testCredit(this.wallet(at))]),
    )
    const amount = (name: string) => found.get(name) ?? 0n
    return [0, 1].map(at => ({
      real: amount(accounts.wallet(this.wallet(at))),
      test: amount(accounts.testCredit(this.wallet(at))),
    }))
  }

  #context(person: number): RequestContext<SessionPrincipal> {
    return this.#contexts[person] ?? this.#operator
  }

  balances(names: readonly string[]): Promise<Map<string, bigint>> {
    return balancesOf(this.stage.service.services.db, names, 'USD')
  }

  transfer(from: number, to: number, amount: bigint): Command {
    const order = { fromWalletId: this.wallet(from), toWalletId: this.wallet(to), amount: dollars(amount) }
    return async tx => ({
      id: (await transfer(tx, this.#context(from), order, NO_LIMIT)).transaction.id,
    })
  }

  createVoucher(owner: number, amount: bigint): Command {
    const input = { walletId: this.wallet(owner), amount: dollars(amount) }
    return (tx, { secrets }) =>
      createVoucher(tx, this.#context(owner), { ...input, code: makeCode(secrets) }, NO_LIMIT)
  }

  redeemVoucher(person: number, code: string): Command {
    return (tx, { secrets }) => redeemVoucher(tx, this.#context(person), { code }, secrets)
  }

  cancelVoucher(owner: number, id: string): Command {
    return tx => cancelVoucher(tx, this.#context(owner), id)
  }

  requestPayout(owner: number, amount: bigint): Command {
    return (tx, services) =>
      requestPayout(tx, services, this.#context(owner), { amountCents: Number(amount / 10_000n) })
  }

  cancelPayout(owner: number, id: string): Command {
    return (tx, services) => cancelPayout(tx, services, this.#context(owner), id)
  }

  hold(buyer: number, seller: number, amount: bigint): Command {
    const order = {
      sourceWalletId: this.wallet(buyer),
      destinationWalletId: this.wallet(seller),
      amount: dollars(amount),
    }
    return async (tx, services) => {
      const { deal } = await initiate(tx, this.#context(buyer), order, rulesOf(services))
      return { id: deal.escrow.id }
    }
  }

  release(buyer: number, escrowId: string, amount?: bigint): Command {
    const part = amount === undefined ? {} : { amount: dollars(amount) }
    return async tx => {
      await releaseEscrow(tx, this.#context(buyer), { escrowId, acceptUnverified: true, ...part })
      return { id: escrowId }
    }
  }

  refund(seller: number, escrowId: string): Command {
    return async (tx, { jobs }) => {
      await refundEscrow(tx, this.#context(seller), escrowId, { jobs })
      return { id: escrowId }
    }
  }

  dispute(person: number, escrowId: string): Command {
    return async tx => {
      await openDispute(tx, this.#context(person), escrowId, { reason: 'test' })
      return { id: escrowId }
    }
  }

  withdraw(person: number, escrowId: string): Command {
    return async tx => {
      await withdrawDispute(tx, this.#context(person), escrowId)
      return { id: escrowId }
    }
  }

  resolve(escrowId: string, sellerBps: bigint): Command {
    const bps = Number(sellerBps)
    const share = { outcome: 'SPLIT' as const, sellerBps: bps }
    const decision =
      bps === 0 ? { outcome: 'REFUND' as const } : bps === 10_000 ? { outcome: 'RELEASE' as const } : share
    return async (tx, { jobs }) => {
      await resolveEscrow(tx, this.#operator, escrowId, { ...decision, reason: 'test', jobs })
      return { id: escrowId }
    }
  }

  /** As keys that are revoked, or a chargeback, freeze an escrow. */
  freeze(escrowId: string, frozen: boolean): Command {
    return async tx => {
      const deal = await lockFunded(tx, escrowId)
      await (frozen ? freezeDeal(tx, deal, REASON) : unfreezeDeal(tx, deal, [REASON], null))
      return { id: escrowId }
    }
  }
}

interface Cast {
  people: [Person, Person]
  contexts: RequestContext<SessionPrincipal>[]
  operator: RequestContext<SessionPrincipal>
  bank: Person
}

async function contextOf(
  { services }: TestService,
  { id: accountId }: Person,
  role: 'USER' | 'ADMIN' = 'USER',
): Promise<RequestContext<SessionPrincipal>> {
  const { rows } = await services.db.pool.query<{ id: string }>(
    'select id from identity_session where account_id = $1',
    [accountId],
  )
  return sessionContext({ accountId, role, sessionId: rows[0]?.id ?? '' })
}
