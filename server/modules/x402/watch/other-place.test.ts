import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import {
  chainNotice,
  chainOfService,
  mine,
  Payer,
  publishAgent,
  registerHuman,
  requestX402,
  rpc,
  sharedChainService,
  type ListedAgent,
  type Person,
  type TestService,
  type X402Answer,
} from '#test'

let service: TestService
let owner: Person
let agent: ListedAgent
let payer: Payer
let admin: string
before(async () => {
  service = await sharedChainService()
  owner = await registerHuman(service)
  agent = await publishAgent(service, owner)
  payer = await Payer.open(service, 100)
  admin = await service.adminToken()
})
after(() => service.close())
afterEach(() => rpc(service, 'evm_setAutomine', [true]))

const request = (amount: number) => requestX402(service, owner, { agentId: agent.id, amount })
const statusOf = async ({ statusUrl }: X402Answer) => {
  const { body } = await service.http<X402Answer>('GET', new URL(statusUrl).pathname)
  return [body.status, body.txHash]
}
const suspended = async (hashes: readonly unknown[]): Promise<string[]> => {
  const { body } = await service.http<{ items: { txHash: string; reason: string }[] }>(
    'GET',
    '/admin/x402/transfers?limit=100',
    { token: admin },
  )
  return body.items.filter(({ txHash }) => hashes.includes(txHash)).map(({ reason }) => reason)
}

/** A block with these transactions alone, in the order of their fees. */
async function block(...signed: readonly string[]): Promise<void> {
  await rpc(service, 'evm_setAutomine', [false])
  for (const raw of signed) await rpc(service, 'eth_sendRawTransaction', [raw])
  await rpc(service, 'evm_mine')
  await rpc(service, 'evm_setAutomine', [true])
}

const placeOf = async (txHash: string): Promise<number | undefined> =>
  (await (await chainOfService(service)).transfersOf(txHash as `0x${string}`))[0]?.logIndex

/** A payment in a block that is replaced by one in which another transaction comes first. */
async function moved(amount: bigint, { isFinal }: { isFinal: boolean }) {
  const requested = await request(Number(amount) / 1e6)
  const other = await Payer.open(service, 10)
  const transfer = await payer.signedTransfer(requested.paymentRequest.to, amount)
  const first = await other.signedTransfer(other.account.address, 1n, { fee: 2n })
  const snapshot = await rpc(service, 'evm_snapshot')
  await block(transfer.raw)
  assert.equal(await placeOf(transfer.hash), 0)
  await chainNotice(service, { txHash: transfer.hash })
  if (isFinal) await mine(service)
  assert.deepEqual(await statusOf(requested), [isFinal ? 'FINAL' : 'CONFIRMED', transfer.hash])
  await rpc(service, 'evm_revert', [snapshot])
  await block(first.raw, transfer.raw)
  assert.equal(await placeOf(transfer.hash), 1)
  return { requested, txHash: transfer.hash }
}

describe('a replaced block with the payment at another place', () => {
  for (const [how, named] of [
    ['a reading of the blocks', false],
    ['a notification of the transaction', true],
  ] as const)
    test(`the payment stays paid, seen by ${how}`, async () => {
      const { requested, txHash } = await moved(named ? 1_250_000n : 1_260_000n, { isFinal: false })
      await chainNotice(service, named ? { txHash } : {})
      assert.deepEqual(await statusOf(requested), ['CONFIRMED', txHash])
      await mine(service)
      assert.deepEqual(await statusOf(requested), ['FINAL', txHash])
      assert.deepEqual(await suspended([txHash]), [])
    })

  test('a payment that was final is not booked twice', async () => {
    const { requested, txHash } = await moved(1_270_000n, { isFinal: true })
    await chainNotice(service, { txHash })
    await mine(service)
    assert.deepEqual(await statusOf(requested), ['FINAL', txHash])
    assert.deepEqual(await suspended([txHash]), [])
  })
})
