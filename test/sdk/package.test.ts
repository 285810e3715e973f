import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { minify } from '@swc/core'
import { publishAgent, registerHuman, startBrowser, startTestService, type TestService } from '#test'
import { GatewayTrial } from '../support/gateway/gateway-trial.ts'
import { nodes, Project } from './package.ts'

const ROOT = join(import.meta.dirname, '../..')
const MAX_BYTES = 15_000

/** The JavaScript blocks of a document, by the heading above them. */
async function programsOf(file: string): Promise<Map<string, string>> {
  const sections = (await readFile(join(ROOT, file), 'utf8')).split(/^## /m)
  return new Map(
    sections.flatMap(section => {
      const [, code] = /```js\n([\s\S]*?)```/.exec(section) ?? []
      return code ? [[section.slice(0, section.indexOf('\n')), code] as const] : []
    }),
  )
}

suite('the packed SDK', () => {
  let service: TestService
  let project: Project
  let page: Server
  let origin: string
  before(async () => {
    project = await Project.open()
    page = createServer((request, response) => {
      const name = /^\/sdk\/(\w+\.js)$/.exec(request.url ?? '')?.[1]
      if (!name) return void response.setHeader('content-type', 'text/html').end('<title>A page</title>')
      response.setHeader('content-type', 'text/javascript')
      void readFile(join(project.dist, name)).then(code => response.end(code))
    })
    await new Promise<void>(resolve => page.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`
    service = await startTestService({ CORS_ORIGINS: origin })
  })
  after(async () => {
    page.closeAllConnections()
    page.close()
    await service.close()
    await project.close()
  })

  test('has no dependency and is at most 15 KB compressed', async t => {
    const description = JSON.parse(await readFile(join(project.dist, '../package.json'), 'utf8')) as object
    assert.ok(!('dependencies' in description) && !('peerDependencies' in description))
    const files = (await readdir(project.dist)).filter(name => name.endsWith('.js'))
    const parts = await Promise.all(
      files.map(async name => {
        const { code } = await minify(await readFile(join(project.dist, name), 'utf8'), { module: true })
        return code
      }),
    )
    const [gzip, brotli] = [gzipSync(parts.join('\n')).length, brotliCompressSync(parts.join('\n')).length]
    t.diagnostic(`${files.length} files: ${parts.join('\n').length} bytes, gzip ${gzip}, brotli ${brotli}`)
    assert.ok(gzip <= MAX_BYTES, `${gzip} bytes`)
  })

  test('gives a program its types, and refuses a wrong one', async () => {
    const program = `import { Svc } from '@svc/sdk'
const svc = new Svc({ apiKey: 'sk_1' })
const { balance } = await svc.request('GET /wallets/{id}', { path: { id: 'w' } })
export const text: string = balance
const agent = await svc.agent('scribe')
agent.on('deal', async deal => deal.deliver({ result: deal.requestedService }))
await svc.request('POST /wallets/{id}/fund', { path: { id: 'w' }, body: { amount: 5 } })
`
    const compile = async (code: string) => {
      await writeFile(join(project.folder, 'program.ts'), code)
      const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', '']
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
      return promisify(execFile)(process.execPath, [tsc, ...options, '--lib', 'es2022,dom', 'program.ts'], {
        cwd: project.folder,
      }).then(
        () => '',
        (error: { stdout: string }) => error.stdout,
      )
    }
    assert.equal(await compile(program), '')
    assert.match(await compile(program.replace('amount: 5', 'amount: true')), /not assignable/)
    assert.match(await compile(program.replace(`{ path: { id: 'w' } }`, '{}')), /'path' is missing/)
  })

  test('the agent of the README is listed, hired, delivers and is paid, by the buyer of docs/SDK.md', async t => {
    const agentCode = (await programsOf('README.md')).get('An agent in 20 lines') ?? ''
    const buyerCode = (await programsOf('docs/SDK.md')).get('Buy') ?? ''
    const lines = agentCode.split('\n').filter(line => line.trim())
    assert.ok(lines.length <= 20, `${lines.length} lines`)
    for (const { version, path } of await nodes()) {
      t.diagnostic(version)
      const agent = await project.start(agentCode, { SVC_URL: service.baseUrl }, path)
      try {
        const [, slug = ''] = await agent.prints(/^listed (\S+)$/m)
        const buyer = await project.start(buyerCode, { SVC_URL: service.baseUrl, SLUG: slug }, path)
        assert.equal(await buyer.ended, 0, buyer.output)
        assert.equal(buyer.output, 'VERIFIED\nRELEASED 16.00 4.00\n')
        await agent.prints(/^hired for Say hello\npaid 16\.00$/m)
      } finally {
        await agent.stop()
      }
    }
  })

  test('streams the answer of a model as docs/SDK.md shows', async () => {
    const { key } = await GatewayTrial.open(service)
    const code = (await programsOf('docs/SDK.md')).get('Prompts') ?? ''
    for (const { path } of await nodes()) {
      const program = await project.start(code, { SVC_URL: service.baseUrl, ROUTING_KEY: key }, path)
      assert.equal(await program.ended, 0, program.output)
      assert.match(program.output, /^Simulated answer of \S+\. The message was: Say hello$/)
    }
  })

  test('buys in a page of another origin', async () => {
    const browser = await startBrowser()
    try {
      const seller = await registerHuman(service)
      const { slug, apiKey } = await publishAgent(service, seller)
      const context = await browser.browser.newContext()
      const tab = await context.newPage()
      await tab.goto(origin)
      const bought = await tab.evaluate(
        async ({ baseUrl, slug, apiKey }) => {
          const file = '/sdk/index.js'
          const { Svc } = (await import(file)) as typeof import('#sdk')
          const email = `page.${Date.now()}@example.com`
          const password = 'correct horse battery'
          const svc = await Svc.register({ email, displayName: 'Page', password }, { baseUrl })
          await svc.wallet.fund(30)
          // The agent in the same page: its stream and its deliveries work there too.
          const agent = await new Svc({ baseUrl, apiKey }).agent(slug)
          const stop = new AbortController()
          const listening = agent
            .on('offer', offer => offer.accept())
            .on('deal', deal => deal.deliver({ result: 'done' }))
            .listen({ signal: stop.signal })
          const deal = await svc.hire({ slug, requestedService: 'A page', budget: 30 })
          await deal.until('DELIVERED')
          const { status, netToSeller } = await deal.release()
          stop.abort()
          await listening
          return [status, netToSeller, (await svc.wallet.get()).balance]
        },
        { baseUrl: service.baseUrl, slug, apiKey },
      )
      assert.deepEqual(bought, ['RELEASED', '24.00', '0.00'])
      await context.close()
    } finally {
      await browser.close()
    }
  })
})
