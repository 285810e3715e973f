import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import {
  as,
  ChargebackTrial,
  deliveredDeal,
  disputedFunding,
  openMarket,
  startTestService,
  type Market,
  type TestService,
} from '#test'

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await startTestService()
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

/** The seller spends a payment that its bank takes back, and owes it. */
async function owe(market: Market, amount: number): Promise<string> {
  const { owner: payer } = market.agent
  const before = async () => {
    assert.equal((await trial.pay(payer, market.outsider, amount)).status, 201)
  }
  const { chargebackId, disputeId } = await disputedFunding(service, {
    admin: trial.admin,
    payer,
    amount,
    before,
  })
  await trial.lose(disputeId)
  return chargebackId
}
const owed = (market: Market) =>
  balanceOf(service.services.db, accounts.receivable(market.agent.owner.id), 'USD')
const release = async (market: Market, amount?: number) => {
  const { escrowId } = await deliveredDeal(market)
  const { status, text } = await as(market, 'buyer', '/payments/ap2/release', { escrowId, amount })
  assert.equal(status, 201, text)
  return escrowId
}
const lastJournalOf = async (escrowId: string): Promise<string[] | undefined> => {
  const [row] = await trial.query<{ id: string }>(
    "select id from ledger_journal where reference->>'escrowId' = $1 order by at desc, id desc limit 1",
    [escrowId],
  )
  return trial.legsOf(row?.id ?? null)
}

test('what a seller owes is taken from what is released to it, the oldest debt first', async () => {
  const market = await openMarket(service, { card: true })
  const [first, second] = [await owe(market, 30), await owe(market, 60)]
  const debt = accounts.receivable(market.agent.owner.id)
  const escrowId = await release(market, 50)
  const { sellerWalletId } = (
    await trial.query<{ sellerWalletId: string }>(
      'select seller_wallet_id as "sellerWalletId" from ap2_escrow where id = $1',
      [escrowId],
    )
  )[0] ?? { sellerWalletId: '' }
  const seller = accounts.wallet(sellerWalletId)
  const escrow = accounts.escrow(escrowId)
  assert.deepEqual(await lastJournalOf(escrowId), [
    `${escrow}->${seller} 40`,
    `${escrow}->4010 10`,
    `${seller}->${debt} 40`,
  ])
  assert.deepEqual(
    [(await trial.read(first)).owed, (await trial.read(second)).owed],
    [
      { amount: '30.00', recovered: '30.00', writtenOff: '0.00', open: '0.00' },
      { amount: '60.00', recovered: '10.00', writtenOff: '0.00', open: '50.00' },
    ],
  )
  await release(market)
  assert.deepEqual(
    [await owed(market), await balanceOf(service.services.db, seller, 'USD')],
    [0n, 30_000_000n],
  )
  const later = await release(market)
  assert.equal((await lastJournalOf(later))?.length, 2, 'nothing is owed any more')
})

test('releases at once take a debt once, and a write-off only what is left of it', async () => {
  const market = await openMarket(service, { card: true })
  const chargebackId = await owe(market, 100)
  const escrows = []
  for (let n = 0; n < 6; n++) escrows.push((await deliveredDeal(market)).escrowId)
  const [, ...answers] = await Promise.all([
    trial.writeOff(chargebackId),
    ...escrows.map(escrowId => as(market, 'buyer', '/payments/ap2/release', { escrowId })),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    escrows.map(() => 201),
  )
  const { recovered, writtenOff, open } = (await trial.read(chargebackId)).owed
  assert.deepEqual([Number(recovered) + Number(writtenOff), open, await owed(market)], [100, '0.00', 0n])
})

test('what is released in test credit pays no debt', async () => {
  const market = await openMarket(service)
  await owe(market, 20)
  await release(market)
  assert.equal(await owed(market), -20_000_000n)
})
