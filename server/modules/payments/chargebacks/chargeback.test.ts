import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { findEdge, strandedStates } from '#platform/kernel/machine'
import {
  availableOf,
  ChargebackTrial,
  type ChargebackView,
  disputedFunding,
  fundingBy,
  mailTo,
  openDispute,
  processorIdOf,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'
import { CHARGEBACK_STATES, chargebackMachine, type ChargebackEvent } from './machine.ts'

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await startTestService({ ADMIN_TRANSFER_LIMIT_USD: '100' })
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

const inDays = (days: number) =>
  new Date(service.services.clock.now().getTime() + days * 86_400_000).toISOString()
const isFrozen = async ({ walletId, token }: Person) =>
  (await service.http<{ isFrozen: boolean }>('GET', `/wallets/${walletId}`, { token })).body.isFrozen
const balance = (account: string) => balanceOf(service.services.db, account, 'USD')

test('a chargeback is reviewed, won and lost by the processor alone, and always ends', () => {
  const events: ChargebackEvent[] = ['review', 'win', 'lose']
  const moves = CHARGEBACK_STATES.flatMap(from =>
    events.flatMap(event => {
      const edge = findEdge(chargebackMachine, from, { event, by: 'processor' })
      return edge ? [`${from} ${event}: ${edge.to}`] : []
    }),
  )
  assert.deepEqual(moves, [
    'NEEDS_RESPONSE review: UNDER_REVIEW',
    'NEEDS_RESPONSE win: WON',
    'NEEDS_RESPONSE lose: LOST',
    'UNDER_REVIEW win: WON',
    'UNDER_REVIEW lose: LOST',
  ])
  assert.deepEqual(strandedStates(chargebackMachine), [])
})

describe('a chargeback of a payment into a wallet', () => {
  test('opened: leaves the account of the processor with its fee, and freezes the wallet', async () => {
    const [inDispute, atProcessor] = [await balance('1040'), await balance('1010')]
    const { payer, receiver, chargebackId, disputeId } = await trial.disputed()
    const opened = await trial.read(chargebackId)
    assert.deepEqual(
      [opened.status, opened.disputeId, opened.amount, opened.fee, opened.reason, opened.closedJournalId],
      ['NEEDS_RESPONSE', disputeId, '50.00', '15.00', 'fraudulent', null],
    )
    assert.ok(opened.respondBy)
    assert.deepEqual(await trial.legsOf(opened.openedJournalId), ['1040->1010 50', '5010->1010 15'])
    assert.equal((await balance('1040')) - inDispute, -50_000_000n)
    // The funding brought 50 less a fee of 1.75.
    assert.equal((await balance('1010')) - atProcessor, 50_000_000n - 48_250_000n + 15_000_000n)
    const refused = await trial.pay(payer, receiver, 1)
    assert.deepEqual([refused.status, refused.body.code], [409, 'ACCOUNT_FROZEN'])
    assert.match(refused.body.hint ?? '', /until the bank decides/)
    assert.deepEqual([await isFrozen(payer), await isFrozen(receiver)], [true, false])
    assert.equal((await trial.pay(receiver, payer, 1)).status, 400, 'it can still receive')
    await mailTo(service, payer.email, /holder of a card disputes a payment of 50.00 USD/)
    await mailTo(service, 'admin@example.com', new RegExp(`/admin/chargebacks/${chargebackId}/evidence`))
    const list = await service.http<{ items: ChargebackView[] }>(
      'GET',
      '/admin/chargebacks?status=NEEDS_RESPONSE',
      {
        token: trial.admin,
      },
    )
    assert.ok(list.body.items.some(({ id }) => id === chargebackId))
  })

  test('won: the money is back, and the wallet is free', async () => {
    const { payer, receiver, chargebackId, disputeId } = await trial.disputed()
    await trial.win(disputeId)
    const { status, closedJournalId, fee } = await trial.read(chargebackId)
    assert.deepEqual([status, fee, await trial.legsOf(closedJournalId)], ['WON', '15.00', ['1010->1040 50']])
    assert.equal(await isFrozen(payer), false)
    assert.equal((await trial.pay(payer, receiver, 50)).status, 201)
    await mailTo(service, payer.email, /decided in our favor/)
  })

  test('lost: the wallet pays what it holds, and its owner owes the rest', async () => {
    const whole = await trial.disputed()
    await trial.lose(whole.disputeId)
    const { status, closedJournalId, owed } = await trial.read(whole.chargebackId)
    const wallet = accounts.wallet(whole.payer.walletId)
    assert.deepEqual([status, owed.amount], ['LOST', '0.00'])
    assert.deepEqual(await trial.legsOf(closedJournalId), [`${wallet}->1040 50`])
    assert.equal(await availableOf(service, whole.payer), '0.00')
    const spent = await trial.disputed(50, 30)
    await trial.lose(spent.disputeId)
    const lost = await trial.read(spent.chargebackId)
    assert.deepEqual(await trial.legsOf(lost.closedJournalId), [
      `${accounts.wallet(spent.payer.walletId)}->1040 20`,
      `${accounts.receivable(spent.payer.id)}->1040 30`,
    ])
    assert.deepEqual(lost.owed, { amount: '30.00', recovered: '0.00', writtenOff: '0.00', open: '30.00' })
    assert.equal((await trial.pay(spent.receiver, spent.payer, 5)).status, 201)
    assert.equal((await trial.pay(spent.payer, spent.receiver, 5)).status, 201, 'the wallet is free again')
    await mailTo(service, spent.payer.email, /decided for the card holder/)
  })

  test('lost: what the owner owes is taken from a voucher that comes back', async () => {
    const owing = await registerHuman(service)
    const order = { walletId: owing.walletId, amount: 30, expiresAt: inDays(9) }
    const paymentId = await fundingBy(service, owing, 30)
    const { token } = owing
    const voucher = await trial.post<{ id: string }>('/wallet-vouchers', order, { token })
    const lost = await openDispute(service, trial.admin, await processorIdOf(service, paymentId))
    await trial.lose(lost)
    const owed = async () => (await trial.read(await trial.chargebackOf(lost))).owed.open
    assert.equal(await owed(), '30.00')
    assert.equal((await trial.post(`/wallet-vouchers/${voucher.body.id}/cancel`, {}, { token })).status, 200)
    assert.deepEqual([await owed(), await availableOf(service, owing)], ['0.00', '0.00'])
  })

  test('of two chargebacks of a wallet each is taken although the other freezes it', async () => {
    const payer = await registerHuman(service)
    const receiver = await registerHuman(service)
    const first = await disputedFunding(service, { admin: trial.admin, payer, amount: 20 })
    const other = await disputedFunding(service, { admin: trial.admin, payer, amount: 30 })
    await trial.lose(first.disputeId)
    assert.deepEqual(
      [await availableOf(service, payer), (await trial.read(first.chargebackId)).owed.amount],
      ['30.00', '0.00'],
    )
    assert.equal((await trial.pay(payer, receiver, 1)).body.code, 'ACCOUNT_FROZEN')
    await trial.win(other.disputeId)
    assert.equal((await trial.pay(payer, receiver, 30)).status, 201)
  })

  test('a deleted payer owes what is lost; its swept wallet is not frozen', async () => {
    const payer = await registerHuman(service)
    const paymentId = await fundingBy(service, payer, 10)
    assert.equal((await service.http('DELETE', '/users/me', { token: payer.token })).status, 204)
    const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, paymentId))
    await trial.lose(disputeId)
    const { owed } = await trial.read((await trial.chargebackOf(disputeId)) ?? '')
    assert.deepEqual([owed.amount, await balance(accounts.receivable(payer.id))], ['10.00', -10_000_000n])
  })
  test('an account is not deleted while its disputed money is frozen, and can be afterwards', async () => {
    const payer = await registerHuman(service)
    const { disputeId } = await disputedFunding(service, { admin: trial.admin, payer, amount: 20 })
    const remove = () =>
      service.http<{ code: string; hint: string }>('DELETE', '/users/me', { token: payer.token })
    const { status, body } = await remove()
    assert.deepEqual([status, body.code], [409, 'ACCOUNT_FROZEN'])
    assert.match(body.hint, /until the bank decides/)
    await trial.win(disputeId)
    assert.equal((await remove()).status, 204)
  })

  test('a wallet that was empty and frozen when its owner was deleted still passes on what arrives', async () => {
    const payer = await registerHuman(service)
    const paymentId = await fundingBy(service, payer, 10)
    const voucher = await service.http<{ id: string }>('POST', '/wallet-vouchers', {
      token: payer.token,
      body: { walletId: payer.walletId, amount: 10, expiresAt: inDays(2) },
    })
    assert.equal(voucher.status, 201, voucher.text)
    const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, paymentId))
    assert.equal((await service.http('DELETE', '/users/me', { token: payer.token })).status, 204)
    const before = await balance(accounts.unclaimed)
    await service.advance(3 * 86_400)
    assert.equal((await balance(accounts.unclaimed)) - before, 10_000_000n)
    await trial.win(disputeId)
    assert.equal((await trial.read((await trial.chargebackOf(disputeId)) ?? '')).status, 'WON')
  })
})
