import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  acceptedDeal,
  KeyTrial,
  must,
  publishAgent,
  sharedService,
  type ListedAgent,
  type Market,
  type TestService,
} from '#test'
import type { AccountKeyPrincipal } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { paidByKeysOf } from '../deal/sql.ts'
import { rulesOf } from '../deal/tier.ts'
import { failFunding } from './funding.ts'
import { initiate } from './initiate.ts'

interface Refusal {
  message: string
  code: string
  details: { limit: string; remaining: string }
}

suite('the spending limit of a key', () => {
  let service: TestService
  let trial: KeyTrial
  let market: Market
  let seller: ListedAgent
  before(async () => {
    service = await sharedService()
    trial = await KeyTrial.open(service)
    seller = await publishAgent(service, trial.owner, { pricing: { model: 'fixed', amount: 10 } })
    market = await trial.marketOf(seller)
  })
  after(() => service.close())

  const limitedKey = async (spendingLimit: number | string | null = 50) => {
    const made = await trial.create({ spendingLimit }, trial.buyer)
    assert.equal(made.status, 201, made.text)
    return made.body
  }
  const pay = (key: string, body: object) =>
    service.http<Refusal & { escrowId: string }>('POST', '/payments/ap2/initiate', { token: key, body })
  const accepted = async (budget: number) => ({ negotiationId: (await acceptedDeal(market, { budget })).id })
  const change = (id: string, spendingLimit: number | null) =>
    service.http<{ spendingLimit: string | null }>('PATCH', `/api/v1/service-accounts/${id}`, {
      token: trial.buyer.token,
      body: { spendingLimit },
    })
  const paidBy = async (serviceAccountId: string) =>
    (await service.services.db.one(paidByKeysOf(serviceAccountId))).paid

  test('is shown with the key; a bad one is a 400', async () => {
    const made = await trial.create({ spendingLimit: '50.5' }, trial.buyer, '/api/v1/keys')
    assert.deepEqual([made.status, 'spendingLimit' in made.body && made.body.spendingLimit], [201, '50.50'])
    for (const spendingLimit of [-1, 'much', '1.1234567', {}])
      assert.equal((await trial.create({ spendingLimit }, trial.buyer)).status, 400)
    const { id } = await limitedKey(null)
    assert.equal((await change(id, 20)).body.spendingLimit, '20.00')
    assert.equal((await change(id, null)).body.spendingLimit, null)
  })

  test('allows exactly its amount, and says what is left', async () => {
    const { apiKey } = await limitedKey()
    assert.equal((await pay(apiKey, await accepted(20))).status, 201)
    const refused = await pay(apiKey, await accepted(31))
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.message, refused.body.details],
      [
        403,
        'KEY_LIMIT_EXCEEDED',
        'Spending limit of the key exceeded',
        { limit: '50.00', remaining: '30.00' },
      ],
    )
    assert.equal((await pay(apiKey, await accepted(30))).status, 201)
    assert.equal((await pay(apiKey, await accepted(1))).status, 403)
  })

  test('holds for parallel payments over all operations together', async () => {
    const { id, apiKey } = await limitedKey()
    const deals = await Promise.all(Array.from({ length: 8 }, () => accepted(10)))
    const card = { agentId: seller.id, amount: 10, paymentMethodId: 'pm_card_visa' }
    const direct = { sourceWalletId: market.buyer.walletId, destinationWalletId: seller.walletId, amount: 10 }
    const task = (place: number) => ({
      jsonrpc: '2.0',
      id: place,
      method: 'message/send',
      params: {
        message: {
          kind: 'message',
          role: 'user',
          messageId: newId(),
          parts: [{ kind: 'text', text: 'Write' }],
        },
      },
    })
    const send = (path: string, body: object) =>
      service.http<{ result?: object; error?: object }>('POST', path, { token: apiKey, body })
    const answers = await Promise.all([
      ...deals.map(deal => send('/payments/ap2/initiate', deal)),
      ...Array.from({ length: 8 }, () => send('/payments/ap2/initiate', direct)),
      ...Array.from({ length: 8 }, (_, place) => send(`/a2a/agents/${seller.id}`, task(place))),
      ...Array.from({ length: 4 }, () => send('/payments/stripe/create', card)),
      ...Array.from({ length: 4 }, () => send('/payments/create-agent-checkout', card)),
      ...Array.from({ length: 4 }, () => send(`/agents/${seller.id}/execute`, { input: {} })),
    ])
    const paid = answers.filter(({ status, body }) => status < 300 && !body.error)
    assert.equal(paid.length, 5)
    for (const { status, text } of answers.filter(answer => !paid.includes(answer))) {
      assert.ok(status === 403 || status === 200, text)
      assert.match(text, /KEY_LIMIT_EXCEEDED/)
    }
    assert.equal(await paidBy(id), 50_000_000n)
  })

  test('a check without the lock lets parallel payments exceed it', async () => {
    const { id } = await limitedKey()
    const { db } = service.services
    const principal: AccountKeyPrincipal = {
      via: 'account-key',
      accountId: trial.buyer.id,
      userType: 'HUMAN',
      role: 'USER',
      keyId: newId(),
      serviceAccountId: id,
      hasSpendingLimit: false,
      scopes: ['ap2:execute'],
      bound: null,
    }
    const ctx = { principal, ip: '127.0.0.1', userAgent: null, requestId: 'test' }
    const deals = await Promise.all(Array.from({ length: 2 }, () => accepted(40)))
    const { promise: allHaveRead, resolve } = Promise.withResolvers<void>()
    let readers = 0
    await Promise.all(
      deals.map(deal =>
        db.transaction(async tx => {
          const { paid } = await tx.one(paidByKeysOf(id))
          assert.ok(paid + 40_000_000n <= 50_000_000n)
          if (++readers === deals.length) resolve()
          await allHaveRead
          await initiate(tx, ctx, deal, rulesOf(service.services))
        }),
      ),
    )
    assert.equal(await paidBy(id), 80_000_000n)
  })

  test('counts a payment again after a refund or a failed funding', async () => {
    const { apiKey } = await limitedKey(50)
    const { escrowId } = (await pay(apiKey, await accepted(50))).body
    const deal = await accepted(50)
    assert.equal((await pay(apiKey, deal)).status, 403)
    await must(market, 'seller', `/payments/escrow/${escrowId}/refund`, {})
    const reserved = await pay(apiKey, { ...deal, rail: 'card' })
    assert.equal(reserved.status, 201)
    // Its funds are still to come, and count.
    assert.equal((await pay(apiKey, await accepted(1))).status, 403)
    await service.services.db.transaction(tx => failFunding(tx, reserved.body.escrowId, 'timer'))
    assert.equal((await pay(apiKey, await accepted(50))).status, 201)
  })

  test('stays with a rotated key, and follows a change at once', async () => {
    const { id, apiKey } = await limitedKey(50)
    assert.equal((await pay(apiKey, await accepted(40))).status, 201)
    const rotated = await service.http<{ apiKey: string }>('POST', `/api/v1/service-accounts/${id}/rotate`, {
      token: trial.buyer.token,
    })
    for (const key of [apiKey, rotated.body.apiKey])
      assert.equal((await pay(key, await accepted(11))).status, 403)
    assert.equal((await change(id, 60)).status, 200)
    assert.equal((await pay(rotated.body.apiKey, await accepted(11))).status, 201)
    assert.equal((await change(id, 0)).status, 200)
    assert.equal((await pay(rotated.body.apiKey, await accepted(1))).status, 403)
    assert.equal((await change(id, null)).status, 200)
    assert.equal((await pay(rotated.body.apiKey, await accepted(100))).status, 201)
  })

  test('a key with a limit starts no session, and a new limit ends those of the key', async () => {
    const username = `buyer_${newId().slice(-8)}`
    const { body: agent } = await service.http<{ agentApiKey: string; accessToken: string }>(
      'POST',
      '/auth/register-agent',
      { body: { username } },
    )
    const login = (apiKey: string) =>
      service.http<{ accessToken: string }>('POST', '/auth/agent/login', { body: { username, apiKey } })
    const create = (body: object) =>
      service.http<{ id: string; apiKey: string }>('POST', '/api/v1/keys', { token, body })
    const { accessToken: token } = (await login(agent.agentApiKey)).body
    const limited = await create({ spendingLimit: 50 })
    assert.equal((await login(limited.body.apiKey)).status, 403)
    const free = await create({})
    const session = await login(free.body.apiKey)
    const me = () => service.http('GET', '/users/me', { token: session.body.accessToken })
    assert.equal((await me()).status, 200)
    const set = { token, body: { spendingLimit: 5 } }
    assert.equal((await service.http('PATCH', `/api/v1/service-accounts/${free.body.id}`, set)).status, 200)
    assert.equal((await me()).status, 401)
  })
})
