import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, test } from 'node:test'
import { sharedService, type TestService } from '#test'
import { GatewayTrial } from '../support/gateway/gateway-trial.ts'

const ROOT = join(import.meta.dirname, '../..')

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

test('the client of OpenAI as the README shows it prints the streamed answer', async () => {
  const [, section = ''] = (await readFile(join(ROOT, 'README.md'), 'utf8')).split('## Route prompts')
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(section) ?? []
  assert.ok(code)
  const { key } = await GatewayTrial.open(service)
  // Code without a file finds its packages from the working directory.
  const program = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, SVC_URL: service.baseUrl, ROUTING_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const [status] = (await once(program, 'close')) as [number]
  assert.equal(status, 0, output)
  assert.match(output, /^Simulated answer of \S+\. The message was: Say hello$/)
})
