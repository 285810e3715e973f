import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import { eventually, registerHuman, sharedService } from '#test'

test('an upload whose file is deleted meanwhile, as with its account, is 400', async () => {
  const service = await sharedService()
  const { token } = await registerHuman(service)
  const sending = request(`${service.baseUrl}/vault?name=deleted`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
  })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  sending.write('begun')
  const isDeleted = async () =>
    (await service.services.db.run(sql`delete from vault_artifact where name = 'deleted'`)) > 0
  await eventually('the upload has begun', isDeleted)
  sending.end('ended')
  const [response] = await answered
  assert.equal(response.statusCode, 400)
  assert.match(await text(response), /deleted before its upload ended/)
  await service.close()
})

test('a form is refused: it would be stored in place of the file', async () => {
  const service = await sharedService()
  const { token } = await registerHuman(service)
  const body = new FormData()
  body.set('file', new Blob(['content']), 'notes.txt')
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${service.baseUrl}/vault?name=notes.txt`, { method: 'POST', headers, body })
  assert.equal(response.status, 400)
  assert.match(await response.text(), /the body is a form: send the content of the file alone/)
  const { body: list } = await service.http<{ total: number }>('GET', '/vault', { token })
  assert.equal(list.total, 0)
  await service.close()
})

test('a file that is sent without its media type has the one of bytes, also from curl', async () => {
  const service = await sharedService()
  const { token } = await registerHuman(service)
  for (const type of [
    'application/x-www-form-urlencoded',
    'Application/X-WWW-Form-Urlencoded; charset=utf-8',
  ]) {
    const response = await fetch(`${service.baseUrl}/vault?name=report.pdf`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: Buffer.from('%PDF-1.7'),
    })
    const { mimeType, bytes } = (await response.json()) as { mimeType: string; bytes: number }
    assert.deepEqual([response.status, mimeType, bytes], [201, 'application/octet-stream', 8])
  }
  await service.close()
})
