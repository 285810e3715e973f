// The published client of x402 version 1 pays the service: `npm run interop`. Not part of `npm test`, because it installs 130 MB.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { pathToFileURL } from 'node:url'
import { createWalletClient, http } from 'viem'
import { baseSepolia } from 'viem/chains'
import { mine, Payer, publishAgent, registerHuman, startTestService, type X402Answer } from '#test'
import { localChain } from '../../server/modules/x402/chain/open.ts'
import { folderOfRun } from '../support/database/folder.ts'

const VERSION = '1.2.0'
const FOLDER = join(process.cwd(), '.data', 'interop', `x402-fetch-${VERSION}`)
const WAGMI = { name: 'wagmi', version: '0.0.0', description: 'Nothing: the client does not load it' }

type Wrap = (fetch: typeof globalThis.fetch, wallet: object, maxValue: bigint) => typeof globalThis.fetch

/** Installs the client with npm, once, outside the dependencies of the project; without wagmi, which it never loads. */
async function installedClient(): Promise<Wrap> {
  if (!existsSync(join(FOLDER, 'installed'))) {
    await mkdir(join(FOLDER, 'wagmi'), { recursive: true })
    await writeFile(join(FOLDER, 'wagmi', 'package.json'), JSON.stringify(WAGMI))
    const manifest = {
      private: true,
      dependencies: { 'x402-fetch': VERSION, wagmi: 'file:./wagmi' },
      overrides: { wagmi: '$wagmi' },
    }
    await writeFile(join(FOLDER, 'package.json'), JSON.stringify(manifest))
    console.log(`installs x402-fetch ${VERSION} into ${FOLDER}`)
    const install = ['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--silent']
    await promisify(execFile)('npm', install, { cwd: FOLDER })
    await writeFile(join(FOLDER, 'installed'), VERSION)
  }
  const path = createRequire(join(FOLDER, 'package.json')).resolve('x402-fetch')
  const client = (await import(pathToFileURL(path).href)) as { wrapFetchWithPayment: Wrap }
  return client.wrapFetchWithPayment
}

const wrapFetchWithPayment = await installedClient()
const removeFolder = folderOfRun()
const service = await startTestService({
  SVC_CHAIN: 'local',
  CHAIN_CONFIRMATIONS: '2',
  X402_WEBHOOK_SECRET: 'a chain webhook secret of this test run',
})
try {
  const owner = await registerHuman(service)
  const agent = await publishAgent(service, owner)
  const payer = await Payer.open(service, 100)
  const { url } = await localChain(service.services)
  const { token } = owner
  const { body } = await service.http<X402Answer>('POST', '/payments/x402/initiate', {
    token,
    body: { agentId: agent.id, amount: 0.25 },
  })
  const wallet = createWalletClient({ account: payer.account, chain: baseSepolia, transport: http(url) })
  const paid = await wrapFetchWithPayment(fetch, wallet, 250_000n)(body.payUrl)
  assert.equal(paid.status, 200, await paid.text())
  await mine(service)
  const state = await service.http<X402Answer>('GET', new URL(body.statusUrl).pathname)
  const { body: wallets } = await service.http<{ wallets: { currency: string; available: string }[] }>(
    'GET',
    `/wallets/agent/${agent.id}`,
    { token },
  )
  const available = wallets.wallets.find(({ currency }) => currency === 'USDC')?.available
  assert.deepEqual([state.body.status, available, await payer.balance()], ['FINAL', '0.25', 99_750_000n])
  console.log(`ok     x402-fetch ${VERSION} paid 0.25 USDC: chain and ledger agree (${state.body.txHash})`)
} finally {
  await service.close()
  await removeFolder()
}
process.exit(0)
