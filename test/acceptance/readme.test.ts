import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { startTestService } from '#test'
import { ADMIN, pathWithCurl } from '../docs/support/runner.ts'

const ROOT = join(import.meta.dirname, '../..')

test('the README can be pasted into a shell, twice', async t => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)
  // An interactive zsh, the shell of macOS, knows no comments.
  for (const line of blocks.join('').split('\n')) assert.doesNotMatch(line, /(^|\s)#/, line)
  // test/docs pays in USDC: it has the test chain.
  const script = blocks.filter(block => /\bapi /.test(block) && !block.includes('x402')).join('\n')
  const folder = await mkdtemp(join(tmpdir(), 'svc-readme-'))
  const service = await startTestService()
  try {
    const path = await pathWithCurl(folder)
    const admin = await service.http<{ accessToken: string }>('POST', '/auth/login', { body: ADMIN })
    for (const shell of shells()) {
      t.diagnostic(`pasted into ${shell}, twice`)
      for (let round = 0; round < 2; round++) {
        const text = script.replaceAll('http://127.0.0.1:3000', service.baseUrl)
        const output = await paste(shell, text, { PATH: path, ADMIN: admin.body.accessToken })
        assert.deepEqual(output.trim().split('\n'), [
          'ACTIVE',
          '150.00',
          'ACCEPTED',
          'VERIFIED',
          'RELEASED',
          '80.00',
          '20.00',
          'ACCEPTED',
          'HELD',
          'succeeded',
          'true',
          'REQUESTED',
          '30.00',
          'claude-haiku-5-5',
          'Simulated answer of claude-haiku-5-5. The message was: Say hello',
          '0.000007',
          '5.00',
          'ACTIVE',
        ])
      }
    }
  } finally {
    await service.close()
    await rm(folder, { recursive: true })
  }
})

/** bash, and zsh where the machine has it. */
const shells = (): string[] => ['bash', ...(spawnSync('zsh', ['-c', 'true']).error ? [] : ['zsh'])]

/** What an interactive shell without settings of its user prints when it reads the text from its terminal. */
async function paste(shell: string, text: string, variables: Record<string, string>): Promise<string> {
  // Not waited for synchronously: the service lives in this process.
  const flags = shell === 'zsh' ? ['-f', '-i'] : ['--norc', '--noprofile', '-i']
  const child = spawn(shell, flags, {
    env: { ...variables, PS1: '', PROMPT: '', RPROMPT: '', PROMPT_EOL_MARK: '', TERM: 'dumb' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  child.stdin.end(text)
  await once(child, 'close')
  assert.ok(output, errors)
  return output
}

test('npm run demo plays a whole deal that balances', async () => {
  const service = await startTestService()
  try {
    const demo = spawn(process.execPath, ['bin/demo.ts'], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        BASE_URL: service.baseUrl,
        DATABASE_URL: service.databaseUrl,
        SVC_DATA_DIR: service.services.dataDir,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [demo.stdout, demo.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    const [code] = (await once(demo, 'close')) as [number]
    assert.equal(code, 0, output)
    assert.match(output, /RELEASED: of 100\.00 the seller has 80\.00 and the platform 20\.00/)
  } finally {
    await service.close()
  }
})
