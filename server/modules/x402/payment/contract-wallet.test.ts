import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  mine,
  Payer,
  publishAgent,
  registerHuman,
  requestX402,
  sharedChainService,
  type TestService,
  type X402Answer,
} from '#test'

let service: TestService
let request: () => Promise<X402Answer>
before(async () => {
  service = await sharedChainService()
  const owner = await registerHuman(service)
  const { id: agentId } = await publishAgent(service, owner)
  request = () => requestX402(service, owner, { agentId, amount: 0.25 })
})
after(() => service.close())

const pathOf = (url: string): string => new URL(url).pathname
const get = (url: string, headers: Record<string, string> = {}) =>
  service.http<X402Answer>('GET', pathOf(url), { headers })

test('a smart wallet pays: its contract accepts the signature of its owner', async () => {
  const wallet = await Payer.openContract(service, 1)
  const requested = await request()
  const answer = await (await wallet.fetch())(requested.payUrl)
  const paid = (await answer.json()) as X402Answer
  assert.deepEqual([answer.status, paid.status], [200, 'CONFIRMED'])
  await mine(service)
  const { body } = await get(requested.statusUrl)
  assert.deepEqual([body.status, body.payer], ['FINAL', wallet.account.address])
  assert.equal(await wallet.balance(), 750_000n)
})

test('a signature that the contract does not accept is 402, and nothing is charged', async () => {
  const [wallet, other] = [await Payer.openContract(service, 1), await Payer.open(service, 0)]
  const { payUrl } = await request()
  const { address } = wallet.account
  const forged = new Payer(service, { ...other.account, address })
  const { status, body } = await get(payUrl, await forged.header(pathOf(payUrl)))
  assert.deepEqual([status, body.details.reason], [402, 'invalid_exact_evm_signature'])
  assert.equal(await wallet.balance(), 1_000_000n)
})

test('a smart wallet that is not deployed yet is 402 with what to do', async () => {
  const { serializeErc6492Signature } = await import('viem')
  const { account: owner } = await Payer.open(service, 0)
  const { account: elsewhere } = await Payer.open(service, 1)
  const wallet = new Payer(service, {
    ...owner,
    address: elsewhere.address,
    // What would deploy it, in front of the signature (ERC-6492).
    signTypedData: async data =>
      serializeErc6492Signature({
        address: elsewhere.address,
        data: '0x1234',
        signature: await owner.signTypedData(data),
      }),
  })
  const { payUrl } = await request()
  const { status, body } = await get(payUrl, await wallet.header(pathOf(payUrl)))
  assert.deepEqual([status, body.details.reason], [402, 'eip6492_factory_not_allowed'])
  assert.match(body.hint, /is not deployed yet: send a transaction from it first/)
})
