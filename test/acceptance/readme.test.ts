import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { startTestService } from '#test'

const ROOT = join(import.meta.dirname, '../..')

test('the lines of the README hire an agent', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  const hire = readme.slice(readme.indexOf('## Hire an agent'))
  const script = [...hire.matchAll(/```sh\n([\s\S]*?)```/g)].map(match => match[1]).join('\n')
  const service = await startTestService()
  try {
    // Not waited for synchronously: the service lives in this process.
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script.replaceAll('http://127.0.0.1:3000', service.baseUrl)], { env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => { output += chunk.toString() })
    const [code] = await once(shell, 'close') as [number]
    assert.equal(code, 0, output)
    for (const expected of ['ACTIVE', '150.00', 'ACCEPTED', 'VERIFIED', '"status":"RELEASED"', '"netToSeller":"80.00"', '"fee":"20.00"']) assert.ok(output.includes(expected), `${expected} is missing in:\n${output}`)
  } finally {
    await service.close()
  }
})

test('npm run demo plays a whole deal that balances', async () => {
  const service = await startTestService()
  try {
    const demo = spawn(process.execPath, ['bin/demo.ts'], { cwd: ROOT, env: { PATH: process.env.PATH, BASE_URL: service.baseUrl, DATABASE_URL: service.databaseUrl, SVC_DATA_DIR: service.services.dataDir }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [demo.stdout, demo.stderr]) stream.on('data', (chunk: Buffer) => { output += chunk.toString() })
    const [code] = await once(demo, 'close') as [number]
    assert.equal(code, 0, output)
    assert.match(output, /RELEASED: of 100\.00 the seller has 80\.00 and the platform 20\.00/)
  } finally {
    await service.close()
  }
})
