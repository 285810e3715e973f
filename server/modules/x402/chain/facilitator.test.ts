import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import { createWalletClient, http, publicActions, type VerifyTypedDataParameters } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { accounts, balanceOf } from '#ledger'
import {
  chainOfService,
  freePort,
  mine,
  Payer,
  publishAgent,
  registerHuman,
  requestX402,
  rpc,
  startTestService,
  type ListedAgent,
  type Person,
  type TestService,
  type X402Answer,
} from '#test'
import { localChain } from './open.ts'

/** A facilitator that an operator could configure: the library's, over HTTP, with gas of its own. */
class Facilitator {
  readonly asked: string[] = []
  readonly account = privateKeyToAccount(generatePrivateKey())
  /** Answers 500 instead. */
  isBroken = false
  readonly #server: Server
  #facilitator: x402Facilitator | null = null

  constructor(port: number) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        void this.#answer(request.url ?? '', Buffer.concat(chunks).toString()).then(([status, body]) => {
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
        })
      })
    }).listen(port, '127.0.0.1')
  }

  /** The chain is started by the service, which knows the address of the facilitator. */
  async connect(service: TestService): Promise<void> {
    const { network } = await chainOfService(service)
    const { url } = await localChain(service.services)
    await rpc(service, 'anvil_setBalance', [this.account.address, '0xde0b6b3a7640000'])
    const client = createWalletClient({ account: this.account, transport: http(url) }).extend(publicActions)
    this.#facilitator = registerExactEvmScheme(new x402Facilitator(), {
      networks: network.id,
      signer: {
        getAddresses: () => [this.account.address],
        readContract: client.readContract,
        verifyTypedData: (data: object) => client.verifyTypedData(data as VerifyTypedDataParameters),
        getCode: client.getCode,
        writeContract: (call: object) =>
          client.writeContract({ chain: null, ...call } as Parameters<typeof client.writeContract>[0]),
        sendTransaction: (call: object) => client.sendTransaction({ chain: null, ...call }),
        waitForTransactionReceipt: ({ hash }: { hash: `0x${string}` }) =>
          client.waitForTransactionReceipt({ hash, pollingInterval: 20 }),
      },
    })
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(path: string, text: string): Promise<[number, object]> {
    this.asked.push(path)
    if (this.isBroken || !this.#facilitator) return [500, { error: 'broken' }]
    if (path === '/supported') return [200, this.#facilitator.getSupported()]
    const { paymentPayload: payload, paymentRequirements: requirements } = JSON.parse(text) as {
      paymentPayload: PaymentPayload
      paymentRequirements: PaymentRequirements
    }
    const answer =
      path === '/verify'
        ? await this.#facilitator.verify(payload, requirements)
        : await this.#facilitator.settle(payload, requirements)
    return [200, answer]
  }
}

describe('a configured facilitator', () => {
  let facilitator: Facilitator
  let service: TestService
  let owner: Person
  let agent: ListedAgent
  let payer: Payer
  before(async () => {
    const port = await freePort()
    facilitator = new Facilitator(port)
    service = await startTestService({
      SVC_CHAIN: 'local',
      CHAIN_CONFIRMATIONS: '2',
      X402_WEBHOOK_SECRET: 'a chain webhook secret of this test run',
      X402_FACILITATOR_URL: `http://127.0.0.1:${port}`,
    })
    await facilitator.connect(service)
    owner = await registerHuman(service)
    agent = await publishAgent(service, owner)
    payer = await Payer.open(service, 10)
  })
  after(async () => {
    await service.close()
    facilitator.close()
  })

  const request = (amount: number) => requestX402(service, owner, { agentId: agent.id, amount })
  const statusOf = async ({ statusUrl }: X402Answer) =>
    (await service.http<X402Answer>('GET', new URL(statusUrl).pathname)).body.status
  const sentBy = async (address: string) =>
    Number(await rpc(service, 'eth_getTransactionCount', [address, 'latest']))

  test('verifies and settles, and pays the gas', async () => {
    const { db } = service.services
    const { hotAddress } = await chainOfService(service)
    const [sent, gas] = [await sentBy(hotAddress), await balanceOf(db, accounts.gas, 'USD')]
    const requested = await request(0.25)
    const paid = await (await payer.fetch())(requested.payUrl)
    assert.equal(paid.status, 200, await paid.text())
    assert.ok(facilitator.asked.includes('/verify') && facilitator.asked.includes('/settle'))
    await mine(service)
    assert.equal(await statusOf(requested), 'FINAL')
    assert.equal(await payer.balance(), 9_750_000n)
    assert.deepEqual([await sentBy(hotAddress), await sentBy(facilitator.account.address)], [sent, 1])
    assert.equal(await balanceOf(db, accounts.gas, 'USD'), gas)
  })

  test('that fails loses nothing: the same authorization pays once it answers', async () => {
    const requested = await request(0.5)
    const path = new URL(requested.payUrl).pathname
    const headers = await payer.header(path)
    facilitator.isBroken = true
    const refused = await service.http<X402Answer>('GET', path, { headers })
    assert.ok([402, 503].includes(refused.status), refused.text)
    facilitator.isBroken = false
    const before = await payer.balance()
    const paid = await service.http<X402Answer>('GET', path, { headers })
    assert.equal(paid.status, 200, paid.text)
    assert.equal(before - (await payer.balance()), 500_000n)
    const again = await service.http<X402Answer>('GET', path, { headers })
    assert.equal(again.status, 200, again.text)
    assert.equal(before - (await payer.balance()), 500_000n)
  })
})
