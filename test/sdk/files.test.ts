import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Svc } from '#sdk'
import { openMarket, sharedService, type TestService } from '#test'
import { Terminal } from '../cli/cli.ts'

const LATIN = Buffer.from('Gr\u00fc\u00dfe;1\n', 'latin1')
const FILES = [
  ['application/zip', Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe])],
  ['application/json', Buffer.from('{ "a":  1 }\n')],
  ['text/csv', LATIN],
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47])],
] as const

suite('files of the vault', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  async function uploaded() {
    const { agent } = await openMarket(service)
    const svc = new Svc({ baseUrl: service.baseUrl, apiKey: agent.apiKey })
    const upload = (type: string, body: Buffer) =>
      svc.request('POST /vault', {
        query: { name: 'file' },
        headers: { 'content-type': type },
        body: new Uint8Array(body),
      })
    return { agent, svc, upload }
  }

  test('are downloaded by the SDK as the bytes that were uploaded, of whatever media type', async () => {
    const { svc, upload } = await uploaded()
    for (const [type, body] of FILES) {
      const { id, mimeType } = await upload(type, body)
      const content: Uint8Array = await svc.request('GET /vault/{id}/content', {
        path: { id },
        maxRetries: 0,
      })
      assert.deepEqual([mimeType, Buffer.from(content)], [type, body])
    }
  })

  test('are written by svc api as they are', async () => {
    const { agent, upload } = await uploaded()
    const terminal = await Terminal.open(service.baseUrl)
    try {
      for (const [type, body] of FILES.slice(0, 2)) {
        const { id } = await upload(type, body)
        const command = `svc api GET /vault/${id}/content > content`
        const env = { SVC_API_KEY: agent.apiKey }
        const { status, err } = await terminal.start(['-c', command], { file: 'bash', env }).ended
        assert.equal(status, 0, err)
        assert.deepEqual(await readFile(join(terminal.folder, 'content')), body)
      }
    } finally {
      await terminal.close()
    }
  })
})
