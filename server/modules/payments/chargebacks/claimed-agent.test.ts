import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import {
  ChargebackTrial,
  fundingBy,
  mailTo,
  openDispute,
  processorIdOf,
  registerHuman,
  sharedService,
  type Person,
  type TestService,
} from '#test'

let service: TestService
let trial: ChargebackTrial
before(async () => {
  service = await sharedService()
  trial = await ChargebackTrial.of(service)
})
after(() => service.close())

interface Announced {
  agent_id: string
  claim_url: string
}

/** An announced agent, its wallet as if it were that of its creator, and the link that gives it away. */
async function announced(creator: Person): Promise<{ spender: Person; claim: string }> {
  const { status, text, body } = await trial.post<Announced>(
    '/agents/announce',
    { name: `Agent of ${creator.id}` },
    creator,
  )
  assert.equal(status, 201, text)
  const wallet = await service.http<{ id: string }>('GET', `/wallets/agent/${body.agent_id}`, creator)
  return {
    spender: { ...creator, walletId: wallet.body.id },
    claim: `/agents/claim/${body.claim_url.split('/').at(-1)}`,
  }
}

test('who claims an agent does not owe what its creator funded by card and spent', async () => {
  const [creator, claimer] = [await registerHuman(service), await registerHuman(service)]
  const { spender, claim } = await announced(creator)
  const paymentId = await fundingBy(service, spender, 50)
  assert.equal((await trial.pay(spender, creator, 30)).status, 201)
  assert.equal((await trial.post(claim, {}, claimer)).status, 200)
  const disputeId = await openDispute(service, trial.admin, await processorIdOf(service, paymentId))
  await trial.lose(disputeId)
  const { closedJournalId, owed } = await trial.read(await trial.chargebackOf(disputeId))
  assert.deepEqual(await trial.legsOf(closedJournalId), [
    `${accounts.wallet(spender.walletId)}->1040 20`,
    `${accounts.receivable(creator.id)}->1040 30`,
  ])
  assert.equal(owed.open, '30.00')
  assert.equal(await balanceOf(service.services.db, accounts.receivable(claimer.id), 'USD'), 0n)
  for (const { email } of [creator, claimer])
    await mailTo(service, email, /dispute of a payment of 50.00 USD, .* was decided for the card holder/)
})
