import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import {
  chainOfService,
  mine,
  Payer,
  publishAgent,
  registerHuman,
  rpc,
  sharedChainService,
  type Payout,
  type Person,
  type TestService,
  type X402Answer,
} from '#test'
import { hotKey } from '../chain/keys.ts'

const ADDRESS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D'

interface Report {
  compared: Record<string, number>
  differences: {
    rail: string
    kind: string
    subject: string
    externalId: string | null
    ourId: string | null
    note: string
    open: boolean
  }[]
}

suite('the reconciliation with the chain', () => {
  let service: TestService
  let owner: Person
  let payer: Payer
  let admin: string
  before(async () => {
    service = await sharedChainService()
    owner = await registerHuman(service)
    payer = await Payer.open(service, 100)
    admin = await service.adminToken()
  })
  after(() => service.close())

  async function run(): Promise<Report> {
    const { status, text, body } = await service.http<Report>('POST', '/admin/reconciliation', {
      token: admin,
      body: {},
    })
    assert.equal(status, 201, text)
    return body
  }
  const about = ({ differences }: Report, id: string) =>
    differences
      .filter(({ externalId, ourId }) => externalId === id || ourId === id)
      .map(({ rail, kind, subject, open }) => `${rail} ${kind} ${subject}${open ? '' : ' (done)'}`)
      .sort()
  const query = (text: string, values: unknown[] = []) =>
    service.services.db.pool.query<{ id: string }>(text, values)
  /** Pays a new agent in USDC with a plain transfer. */
  async function paid(amount: number): Promise<{ txHash: `0x${string}`; agentId: string }> {
    const agent = await publishAgent(service, owner)
    const { body, text } = await service.http<X402Answer>('POST', '/payments/x402/initiate', {
      token: owner.token,
      body: { agentId: agent.id, amount },
    })
    assert.ok(body.paymentRequest, text)
    const txHash = await payer.transfer(body.paymentRequest.to, BigInt(amount * 1e6))
    await mine(service)
    return { txHash, agentId: agent.id }
  }
  /** Changes one row of a transfer for the time of a report. */
  async function reportWith(txHash: string, [column, value]: [string, unknown]): Promise<string[]> {
    const { rows } = await service.services.db.pool.query<{ old: unknown }>(
      `select ${column} as old from x402_transfer where tx_hash = $1`,
      [txHash],
    )
    await query(`update x402_transfer set ${column} = $2 where tx_hash = $1`, [txHash, value])
    const found = about(await run(), txHash)
    await query(`update x402_transfer set ${column} = $2 where tx_hash = $1`, [txHash, rows[0]?.old])
    return found
  }

  test('names a lost, a duplicated, a reordered and an altered transfer', async () => {
    const { txHash } = await paid(2)
    const idle = await publishAgent(service, owner)
    const { body } = await service.http<{ x402WalletAddress: `0x${string}` }>('GET', `/agents/${idle.id}`)
    // Nobody requested a payment to this address, and no notification named the transaction.
    const lost = await payer.transfer(body.x402WalletAddress, 3_000_000n)
    await mine(service)
    const first = await run()
    assert.ok((first.compared.chain ?? 0) >= 2)
    assert.deepEqual(about(first, txHash), [])
    assert.deepEqual(about(first, lost), ['chain MISSING_HERE transfer'])
    assert.match(
      first.differences.find(({ externalId }) => externalId === lost)?.note ?? '',
      /read again and waits in suspense/,
    )
    const listed = await service.http<{ items: { txHash: string; reason: string }[] }>(
      'GET',
      '/admin/x402/transfers?limit=100',
      { token: admin },
    )
    assert.equal(listed.body.items.find(item => item.txHash === lost)?.reason, 'UNMATCHED')
    assert.deepEqual(await reportWith(txHash, ['amount', '1999999']), [
      'chain AMOUNT_DIFFERS payment',
      'chain AMOUNT_DIFFERS transfer',
    ])
    assert.deepEqual(await reportWith(txHash, ['payer', ADDRESS]), ['chain EVENT_ALTERED transfer'])
    assert.deepEqual(await reportWith(txHash, ['block_hash', '0x00']), [
      'chain EVENT_REORDERED transfer (done)',
    ])
    const copy = `insert into x402_transfer (id, status, network, token, tx_hash, log_index, block_number, block_hash, payer, pay_to, amount,
        payment_id, reason, created_at, updated_at)
      select gen_random_uuid(), status, network, token, $2, log_index + $3::int, block_number, block_hash, payer, pay_to, amount, payment_id,
        'PAID_TWICE', created_at, updated_at from x402_transfer where tx_hash = $1 returning id`
    const { rows: twice } = await query(copy, [txHash, txHash, 100])
    const invented = `0x${'ab'.repeat(32)}`
    await query(copy, [lost, invented, 0])
    const report = await run()
    assert.deepEqual(about(report, twice[0]?.id ?? ''), ['chain DUPLICATE transfer'])
    assert.deepEqual(about(report, invented), ['chain MISSING_AT_PROCESSOR transfer'])
    await query('delete from x402_transfer where id = $1 or tx_hash = $2', [twice[0]?.id, invented])
  })

  test('names what left without an order, and a payout that says something else', async () => {
    const { agentId } = await paid(5)
    const request = await service.http<Payout>('POST', '/payouts/request', {
      token: owner.token,
      body: { agentId, rail: 'chain', amount: 4, toAddress: ADDRESS },
    })
    assert.equal(request.status, 201, request.text)
    const { id } = request.body
    const status = async () => {
      const { body } = await service.http<{ items: Payout[] }>('GET', `/payouts/history/${agentId}`, {
        token: owner.token,
      })
      return body.items.find(payout => payout.id === id)?.status
    }
    for (const deadline = Date.now() + 60_000; (await status()) !== 'PAID'; await sleep(50)) {
      assert.ok(Date.now() < deadline, `the payout is ${await status()}`)
      await mine(service)
    }
    assert.deepEqual(about(await run(), id), [])
    const during = async (change: string, back: string) => {
      await query(`update ${change} where id = $1`, [id])
      const found = about(await run(), id)
      await query(`update ${back} where id = $1`, [id])
      return found
    }
    assert.deepEqual(await during('x402_sending set amount = 3999999', 'x402_sending set amount = 4000000'), [
      'chain AMOUNT_DIFFERS sending',
      'chain-payout AMOUNT_DIFFERS payout',
    ])
    assert.deepEqual(
      await during(
        "payouts_payout set destination = '0x52908400098527886E0F7030069857D2E4169EE7'",
        `payouts_payout set destination = '${ADDRESS}'`,
      ),
      ['chain-payout EVENT_ALTERED payout'],
    )
    assert.deepEqual(
      await during("x402_sending set network = 'eip155:1'", "x402_sending set network = 'eip155:84532'"),
      ['chain-payout MISSING_AT_PROCESSOR payout'],
    )
    const stolen = await sendWithoutOrder(1_000_000n)
    assert.deepEqual(about(await run(), stolen), ['chain MISSING_HERE sending'])
  })

  /** Somebody who has the key sends money away. */
  async function sendWithoutOrder(value: bigint): Promise<string> {
    const chain = await chainOfService(service)
    // What payouts leave there depends on which addresses they collected from.
    await (await Payer.open(service, 1)).transfer(chain.hotAddress, value)
    await mine(service)
    const authorization = {
      from: chain.hotAddress,
      to: ADDRESS,
      value,
      validAfter: 0n,
      validBefore: (await chain.head()).timestamp + 3600n,
      nonce: `0x${'cd'.repeat(32)}`,
    } as const
    const txHash = await chain.send(
      authorization,
      await chain.sign(await hotKey(service.services), authorization),
    )
    await rpc(service, 'anvil_mine', ['0x2'])
    return txHash
  }
})
