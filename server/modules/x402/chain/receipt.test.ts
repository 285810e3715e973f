import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, test } from 'node:test'
import { createPublicClient, http } from 'viem'
import { ChainAway } from './port.ts'
import { awaitReceipt } from './receipt.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
const ADDRESS = `0x${'11'.repeat(20)}`

/** A quiet chain: block 6 has the transaction and comes while the node is asked for block 5, and none comes after it. */
let isMined = false
const results: Record<string, () => unknown> = {
  eth_blockNumber: () => (isMined ? '0x6' : '0x5'),
  eth_getTransactionByHash: () => ({ hash: HASH, from: ADDRESS, nonce: '0x0', type: '0x0' }),
  eth_getTransactionReceipt: () => (isMined ? { transactionHash: HASH, status: '0x1', logs: [] } : null),
  eth_getBlockByNumber: async () => {
    isMined = true
    await sleep(100)
    return { number: '0x5', transactions: [] }
  },
}
const node = createServer((request, response) => {
  void (async () => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; method: string }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: (await results[method]?.()) ?? null }))
  })()
})
const client = () => {
  const { port } = node.address() as AddressInfo
  return createPublicClient({ transport: http(`http://127.0.0.1:${port}`), pollingInterval: 10 })
}
before(() => once(node.listen(0, '127.0.0.1'), 'listening'))
after(() => node.close())

test('finds the receipt in a block that comes while the node answers', async () => {
  isMined = false
  await assert.rejects(client().waitForTransactionReceipt({ hash: HASH, timeout: 500 }), {
    name: 'WaitForTransactionReceiptTimeoutError',
  })
  isMined = false
  const found = awaitReceipt(client(), HASH, 5000)
  await sleep(50)
  isMined = true
  assert.equal((await found).status, 'success')
})

test('gives up after its time', async () => {
  isMined = false
  await assert.rejects(awaitReceipt(client(), HASH, 50), ChainAway)
})
