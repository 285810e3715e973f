import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sandboxProcessor } from '#payments'
import {
  acceptedDeal,
  AffiliateTrial,
  connectBank,
  dumpOf,
  joinOrganization,
  must,
  registerHuman,
  sharedService,
  type Market,
  type Person,
  type TestService,
} from '#test'

const BANK = '000123456789'
const OTHER_BANK = '000111111116'

/** Of pm_card_visa_debit. */
const CARD_NUMBER = '4000056655665556'
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7'

suite('commissions of an affiliate who may have paid itself', () => {
  let service: TestService
  let trial: AffiliateTrial
  before(async () => {
    service = await sharedService()
    trial = new AffiliateTrial(service, await service.adminToken())
  })
  after(() => service.close())

  async function pay({ walletId, token }: Person, paymentMethodId: string): Promise<void> {
    const body = { amount: 200, paymentMethodId }
    const { status, text } = await service.http('POST', `/wallets/${walletId}/fund`, { token, body })
    assert.equal(status, 201, text)
  }

  /** The state of the commission of a deal that is delivered and released. */
  async function earned(earner: Person, market: Market): Promise<(string | null | undefined)[]> {
    const { escrowId } = await trial.delivered(market)
    await trial.release(market, { escrowId })
    const row = (await trial.commissions(earner)).find(each => each.escrowId === escrowId)
    return [row?.status, row?.fraudReason]
  }

  const cards = async ({ id }: Person) =>
    (
      await service.services.db.pool.query<{ fingerprint: string }>(
        'select fingerprint from payments_card where account_id = $1',
        [id],
      )
    ).rows.map(({ fingerprint }) => fingerprint)

  test('the card of the buyer or of the seller waits for an admin, another one does not', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    await pay(earner, 'pm_card_mastercard')
    assert.deepEqual(await earned(earner, market), ['PENDING', null])
    await pay(market.buyer, 'pm_card_mastercard')
    assert.deepEqual(await earned(earner, market), ['FRAUD_HOLD', 'same card'])
    const other = await trial.affiliate()
    const second = await trial.market(other)
    await pay(other, 'pm_card_amex')
    await pay(second.agent.owner, 'pm_card_amex')
    assert.deepEqual(await earned(other, second), ['FRAUD_HOLD', 'same card'])
  })

  test('the bank account or the chain address of a party waits for an admin', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    await connectBank(service, earner.token, { accountNumber: OTHER_BANK })
    await connectBank(service, market.agent.owner.token, { accountNumber: BANK })
    assert.deepEqual(await earned(earner, market), ['PENDING', null])
    await connectBank(service, market.buyer.token, { accountNumber: OTHER_BANK })
    assert.deepEqual(await earned(earner, market), ['FRAUD_HOLD', 'same payout account'])
  })

  test('the chain address of a party waits for an admin', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    const parties = [
      [earner, OTHER_BANK, ADDRESS],
      [market.agent.owner, BANK, ADDRESS.toLowerCase()],
    ] as const
    for (const [{ id, token }, accountNumber, address] of parties) {
      await connectBank(service, token, { accountNumber })
      await service.services.db.pool.query('update payouts_account set address = $2 where account_id = $1', [
        id,
        address,
      ])
    }
    assert.deepEqual(await earned(earner, market), ['FRAUD_HOLD', 'same payout account'])
  })

  test('an organization of the affiliate that pays for the deal waits for an admin', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    const slug = `referred-works-${market.buyer.id.slice(-12)}`
    const created = await service.http('POST', '/organizations', {
      token: earner.token,
      body: { slug, name: 'Works' },
    })
    assert.equal(created.status, 201, created.text)
    await joinOrganization(service, earner, market.buyer, { slug, role: 'ADMIN' })
    const wallet = await service.http<{ id: string }>('GET', `/wallets/org/${slug}`, { token: earner.token })
    await pay({ ...earner, walletId: wallet.body.id }, 'pm_card_mastercard')
    const { id: negotiationId } = await acceptedDeal(market)
    const order = { negotiationId, sourceWalletId: wallet.body.id }
    const { escrowId } = await must<{ escrowId: string }>(market, 'buyer', '/payments/ap2/initiate', order)
    await must(market, 'seller', '/ap2/deliver', { negotiationId, result: 'done' })
    await trial.release(market, { escrowId })
    const row = (await trial.commissions(earner)).find(each => each.escrowId === escrowId)
    assert.deepEqual([row?.status, row?.fraudReason], ['FRAUD_HOLD', 'same organization'])
  })

  test('only keyed fingerprints are stored, and none of a deleted account', async () => {
    const person = await registerHuman(service)
    await pay(person, 'pm_card_visa_debit')
    await connectBank(service, person.token, { accountNumber: '000999999991' })
    const [card = ''] = await cards(person)
    const { accounts } = sandboxProcessor(service.services)
    const { rows } = await service.services.db.pool.query<{ bank: string; processorAccountId: string }>(
      `select bank_fingerprints[1] as bank, processor_account_id as "processorAccountId" from payouts_account where account_id = $1`,
      [person.id],
    )
    const [row] = rows
    const [fromProcessor = ''] = (await accounts.read(row?.processorAccountId ?? '')).bankFingerprints
    assert.ok(fromProcessor && row && card !== row.bank)
    const dump = [...(await dumpOf(service.databaseUrl)).values()].join('\n')
    assert.deepEqual(
      [card, row.bank, fromProcessor, CARD_NUMBER].map(text => dump.includes(text)),
      [true, true, false, false],
    )
    const removed = await service.http('DELETE', '/users/me', { token: person.token })
    assert.equal(removed.status, 204, removed.text)
    const erased = [...(await dumpOf(service.databaseUrl)).values()].join('\n')
    assert.deepEqual([erased.includes(card), (await cards(person)).length], [false, 0])
  })

  test('nothing is expected any more of an ended deal whose buyer had claimed the agent', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    const creator = await registerHuman(service)
    const announced = await service.http<{ agent_id: string; api_key: string; claim_url: string }>(
      'POST',
      '/agents/announce',
      { token: creator.token, body: { name: `Claimed ${earner.code}` } },
    )
    const { agent_id: id, api_key: apiKey, claim_url: url } = announced.body
    assert.equal((await service.http('POST', `/agents/${id}/publish`, { token: creator.token })).status, 201)
    const held = await trial.held({ ...market, agent: { ...market.agent, id, apiKey } })
    assert.equal((await trial.sums(earner)).expected, '4.00')
    const token = market.buyer.token
    assert.equal(
      (await service.http('POST', `/agents/claim/${url.split('/').at(-1)}`, { token })).status,
      200,
    )
    const refunded = await service.http('POST', `/payments/escrow/${held.escrowId}/refund`, {
      token,
      body: {},
    })
    assert.equal(refunded.status, 201, refunded.text)
    assert.equal((await trial.sums(earner)).expected, '0.00')
    assert.equal((await trial.commissions(earner))[0]?.status, 'CANCELLED')
  })
})
