import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { generateApi } from 'swagger-typescript-api'
import { DOCUMENT } from '../support/openapi/openapi.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A program as a user of the generated client writes it: it names the types of the document. */
const PROGRAM = `import { Api, type Agent, type Escrow, type Negotiation, type Settlement, type Wallet } from './client.ts'

const api = new Api({ baseUrl: 'http://127.0.0.1:3000' })

export async function hire(): Promise<string> {
  const wallet: Wallet = (await api.wallets.createWallet({ currency: 'USD' })).data
  const agent: Agent = (await api.agents.getAgent('agent-1')).data
  const negotiation: Negotiation = (await api.ap2.getNegotiation('negotiation-1')).data
  const escrow: Escrow = (await api.payments.getEscrow('escrow-1')).data
  const settlement: Settlement = (await api.payments.releaseEscrow({ escrowId: escrow.id })).data
  return [wallet.id, agent.slug, negotiation.status, settlement.netToSeller].join(' ')
}
`

suite('a TypeScript client generated from the OpenAPI document', () => {
  let folder: string
  let client: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-client-'))
    const { files } = await generateApi({
      input: DOCUMENT,
      output: false,
      silent: true,
      httpClientType: 'fetch',
      generateUnionEnums: true,
    })
    client = files[0]?.fileContent ?? ''
    await writeFile(join(folder, 'client.ts'), client)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** What the compiler says of the program and of one that is wrong, in one run: it reads the client once. */
  async function compile(): Promise<string> {
    const wrong = PROGRAM.replace('escrowId: escrow.id', 'escrowId: 7')
    await writeFile(join(folder, 'program.ts'), PROGRAM)
    await writeFile(join(folder, 'wrong.ts'), wrong)
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--allowImportingTsExtensions',
      '--ignoreConfig',
    ]
    const target = ['--target', 'esnext', '--module', 'nodenext', '--lib', 'esnext,dom']
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const programs = ['program.ts', 'wrong.ts'].map(name => join(folder, name))
    const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...target, ...programs], {
      encoding: 'utf8',
    })
    return stdout
  }

  test('names the types of requests and responses', async () => {
    const { components } = JSON.parse(await readFile(DOCUMENT, 'utf8')) as { components: { schemas: object } }
    const types = new Set(
      [...client.matchAll(/^export (?:interface|type|enum) (\w+)/gm)].map(([, name]) => name),
    )
    assert.deepEqual(
      Object.keys(components.schemas).filter(name => !types.has(name)),
      [],
    )
  })

  test('compiles with a program that uses these types, and refuses a field of the wrong type', async () => {
    const errors = (await compile()).split('\n').filter(line => line.includes('error TS'))
    assert.deepEqual(
      [errors.length, /wrong\.ts.*not assignable/.test(errors[0] ?? '')],
      [1, true],
      errors.join('\n'),
    )
  })
})
