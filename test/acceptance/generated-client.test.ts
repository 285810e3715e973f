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

  /** What the compiler says of `program`, nothing if it compiles. */
  async function compile(program: string): Promise<string> {
    await writeFile(join(folder, 'program.ts'), program)
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--allowImportingTsExtensions',
      '--ignoreConfig',
    ]
    const target = ['--target', 'esnext', '--module', 'nodenext', '--lib', 'esnext,dom']
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(process.execPath, [tsc, ...options, ...target, join(folder, 'program.ts')], {
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

  test('compiles with a program that uses these types', async () => {
    assert.equal(await compile(PROGRAM), '')
  })

  test('refuses a program that sends a field of the wrong type', async () => {
    assert.match(await compile(PROGRAM.replace('escrowId: escrow.id', 'escrowId: 7')), /not assignable/)
  })
})
