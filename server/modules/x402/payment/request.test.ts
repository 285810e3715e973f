import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DAY, SECOND } from '#platform/kernel/clock'
import { newId } from '#platform/kernel/id'
import { strandedStates } from '#platform/kernel/machine'
import { readConfig } from '#platform/kernel/config'
import {
  mine,
  Payer,
  publishAgent,
  registerHuman,
  sharedChainService,
  type ListedAgent,
  type Person,
  type TestService,
  type X402Answer,
} from '#test'
import { ChainAway } from '../chain/port.ts'
import { openChain } from '../chain/client.ts'
import { networkOf } from '../chain/network.ts'
import { sendingMachine } from '../sending/machine.ts'
import { paymentMachine } from './machine.ts'

let service: TestService
let owner: Person
let agent: ListedAgent
before(async () => {
  service = await sharedChainService()
  owner = await registerHuman(service)
  agent = await publishAgent(service, owner)
})
after(() => service.close())

const initiate = (body: object, headers = {}) =>
  service.http<X402Answer & { message: string }>('POST', '/payments/x402/initiate', {
    token: owner.token,
    headers,
    body: { agentId: agent.id, amount: 1, ...body },
  })
const codeOf = async (body: object) => {
  const { status, body: answer } = await initiate(body)
  return [status, answer.code]
}

describe('a payment in USDC is requested', () => {
  test('with the same identifier or Idempotency-Key once', async () => {
    const first = await initiate({ paymentIdentifier: 'order-17' })
    const again = await initiate({ paymentIdentifier: 'order-17' })
    assert.deepEqual([again.status, again.body], [200, first.body])
    const buyerAddress = '0x103d6d77c5ea7fe7ab747d2ddef4f35389666643'
    assert.deepEqual(await codeOf({ paymentIdentifier: 'order-17', buyerAddress }), [
      409,
      'X402_IDENTIFIER_USED',
    ])
    assert.deepEqual(await codeOf({ paymentIdentifier: 'order-17', amount: 2 }), [
      409,
      'X402_IDENTIFIER_USED',
    ])
    const key = { 'idempotency-key': newId() }
    const keyed = await initiate({}, key)
    assert.deepEqual((await initiate({}, key)).body, keyed.body)
    assert.notEqual((await initiate({})).body.transactionId, keyed.body.transactionId)
  })

  test('and not paid to an agent that is suspended meanwhile', async () => {
    const other = await publishAgent(service, owner)
    const { body: requested } = await initiate({ agentId: other.id })
    const path = new URL(requested.payUrl).pathname
    const payer = await Payer.open(service, 10)
    const headers = await payer.header(path)
    const change = async (action: string) => {
      const { status, text } = await service.http('POST', `/admin/agents/${other.id}/${action}`, {
        token: await service.adminToken(),
        body: { reason: 'fraud' },
      })
      assert.equal(status, 200, text)
    }
    await change('suspend')
    for (const method of ['GET', 'POST'])
      for (const more of [{}, { headers }]) {
        const { status, body } = await service.http<X402Answer>(method, path, more)
        assert.deepEqual([status, body.code], [403, 'AGENT_SUSPENDED'])
      }
    await change('reinstate')
    assert.equal((await service.http('GET', path, { headers })).status, 200)
    await change('suspend')
    assert.equal((await service.http('GET', path, { headers })).status, 200, 'the same answer again')
  })

  test('with the identifier of an expired payment not again', async () => {
    const { body: first } = await initiate({ paymentIdentifier: 'order-18' })
    await service.advance(DAY / SECOND + 1)
    const { status, body } = await initiate({ paymentIdentifier: 'order-18' })
    assert.deepEqual(
      [status, body.code, body.details],
      [409, 'X402_PAYMENT_ENDED', { status: 'EXPIRED', transactionId: first.transactionId }],
    )
    assert.equal((await initiate({ paymentIdentifier: 'order-19' })).status, 200)
  })

  test('while fewer than a thousand of the account wait', async () => {
    const person = await registerHuman(service)
    const request = () =>
      service.http<X402Answer>('POST', '/payments/x402/initiate', {
        token: person.token,
        body: { agentId: agent.id, amount: 1 },
      })
    const { body } = await request()
    await service.services.db.pool.query(
      `insert into x402_payment select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'status', 'EXPIRED'))).*
       from x402_payment p, generate_series(1, 998) where p.id = $1`,
      [body.transactionId],
    )
    const setStatus = (status: string) =>
      service.services.db.pool.query('update x402_payment set status = $1 where account_id = $2', [
        status,
        person.id,
      ])
    assert.equal((await request()).status, 200)
    await setStatus('PENDING')
    const refused = await request()
    assert.deepEqual([refused.status, refused.body.code], [409, 'TOO_MANY_X402_PAYMENTS'])
    await setStatus('EXPIRED')
    assert.equal((await request()).status, 200)
  })

  test('not for another network, asset, amount or agent', async () => {
    assert.equal((await initiate({ network: 'base-sepolia', asset: 'usdc' })).status, 200)
    assert.deepEqual(await codeOf({ network: 'eip155:1' }), [400, 'X402_NETWORK_UNKNOWN'])
    assert.deepEqual(await codeOf({ asset: 'DAI' }), [400, 'X402_ASSET_UNKNOWN'])
    assert.deepEqual(await codeOf({ amount: '0.0000001' }), [400, 'AMOUNT_INVALID'])
    assert.deepEqual(await codeOf({ buyerAddress: '0x12' }), [400, 'ADDRESS_INVALID'])
    assert.deepEqual(await codeOf({ agentId: newId() }), [404, 'AGENT_NOT_FOUND'])
    const draft = await service.http<{ id: string }>('POST', '/agents', {
      token: owner.token,
      body: { name: 'Draft' },
    })
    assert.deepEqual(await codeOf({ agentId: draft.body.id }), [400, 'AGENT_NOT_PUBLISHED'])
    const bare = await publishAgent(service, owner)
    await service.services.db.pool.query('update agents_agent set x402_wallet_address = null where id = $1', [
      bare.id,
    ])
    const { status, body } = await initiate({ agentId: bare.id })
    assert.deepEqual([status, body.message], [400, 'Wallet not configured'])
    const faucet = { address: '0x12', amount: 1 }
    assert.equal((await service.http('POST', '/sandbox/chain/faucet', { body: faucet })).status, 400)
    const unknown = `/payments/x402/${newId()}`
    for (const [method, path] of [
      ['GET', unknown],
      ['GET', `${unknown}/pay`],
      ['POST', `${unknown}/pay`],
    ] as const)
      assert.equal((await service.http<X402Answer>(method, path)).body.code, 'X402_PAYMENT_NOT_FOUND')
  })

  test('of the list price of an agent, by each call anew', async () => {
    const priced = await publishAgent(service, owner, {
      pricing: { model: 'per_call', amount: 0.15, currency: 'USDC' },
    })
    const path = `/agents/${priced.id}/pay`
    const unpaid = await service.http<X402Answer>('POST', path)
    assert.deepEqual([unpaid.status, unpaid.body.accepts[0]?.maxAmountRequired], [402, '150000'])
    const payer = await Payer.open(service, 1)
    const pay = await payer.fetch()
    for (const method of ['GET', 'POST'])
      assert.equal((await pay(service.baseUrl + path, { method })).status, 200)
    const header = await payer.header(path)
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => service.http<X402Answer>('GET', path, { headers: header })),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(new Set(answers.map(({ body }) => body.transactionId)).size, 1)
    assert.equal(await payer.balance(), 550_000n)
    await mine(service)
    const elsewhere = await service.http<X402Answer>('GET', `/agents/${agent.id}/pay`, { headers: header })
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [400, 'X402_PRICE_MISSING'])
    assert.equal((await service.http('POST', `/agents/${agent.id}/pay`)).status, 400)
    for (const method of ['GET', 'POST'])
      assert.equal((await service.http(method, `/agents/${newId()}/pay`)).status, 404)
    // An earlier payment of one resource pays no other.
    const { payUrl } = (await initiate({ agentId: priced.id, amount: 0.15 })).body
    const other = await service.http<X402Answer>('GET', new URL(payUrl).pathname, { headers: header })
    assert.equal(other.body.details.reason, 'authorization_already_used')
  })
})

test('every state of a payment and of a sending ends without a person', () => {
  assert.deepEqual([strandedStates(paymentMachine), strandedStates(sendingMachine)], [[], []])
})

test('a node that is away is ChainAway', async () => {
  const chain = await openChain({
    network: networkOf({ sandbox: true }),
    rpcUrl: 'http://127.0.0.1:1',
    key: `0x${'1'.repeat(64)}`,
    facilitatorUrl: undefined,
    pollingMs: 20,
  })
  await assert.rejects(chain.head(), ChainAway)
})

test('a local chain is refused in production and beside another node', () => {
  const problems = (env: Record<string, string>) => {
    try {
      readConfig(env)
      return ''
    } catch (error) {
      return String(error)
    }
  }
  assert.match(problems({ SVC_MODE: 'production', SVC_CHAIN: 'local' }), /SVC_CHAIN=local is a test chain/)
  assert.match(
    problems({ SVC_CHAIN: 'local', CHAIN_RPC_URL: 'http://127.0.0.1:8545' }),
    /remove CHAIN_RPC_URL/,
  )
  assert.equal(problems({ SVC_CHAIN: 'local' }), '')
})
