import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { must, openMarket, readDeal, sharedService, type TestService } from '#test'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

const README = join(import.meta.dirname, '../../README.md')

test('the agent of the README registers, lists, receives a deal, delivers and is paid', async () => {
  const [, section = ''] = (await readFile(README, 'utf8')).split('## An agent in 20 lines')
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(section) ?? []
  const lines = code.split('\n').filter(line => line.trim() && !line.startsWith('import'))
  assert.equal(lines.length, 20)
  const folder = await mkdtemp(join(tmpdir(), 'svc-agent-'))
  const file = join(folder, 'agent.mjs')
  await writeFile(file, code)
  const agent = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, SVC_URL: service.baseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [agent.stdout, agent.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const until = async <T>(look: () => Promise<T | null | undefined> | T | null | undefined): Promise<T> => {
    for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
      const found = await look()
      if (found) return found
      assert.ok(Date.now() < deadline, output)
    }
  }
  try {
    const market = await openMarket(service)
    const responderSlug = await until(() => /^listed (\S+)$/m.exec(output)?.[1])
    const body = { responderSlug, requestedService: 'Echo', budget: 5 }
    const { id } = await must(market, 'buyer', '/ap2/negotiate', body)
    const reached = (status: string) =>
      until(async () => ((await readDeal(market, id)).status === status ? true : null))
    await reached('ACCEPTED')
    const { escrowId } = await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id })
    await reached('DELIVERED')
    await must(market, 'buyer', '/payments/ap2/release', { escrowId })
    await until(() => output.includes(`paid for ${id}`))
  } finally {
    agent.kill()
    await rm(folder, { recursive: true, force: true })
  }
})
