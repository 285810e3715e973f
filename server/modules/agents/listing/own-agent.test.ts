import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { registerAdmin, sharedService, type TestService } from '#test'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

test('an admin does not reinstate their agent after another admin suspended it', async () => {
  const first = await service.adminToken()
  const admin = await registerAdmin(service)
  const { body: own } = await service.http<{ id: string }>('POST', '/agents', {
    token: admin.token,
    body: { name: 'Own' },
  })
  const change = async (verb: string, token: string) =>
    (await service.http('POST', `/admin/agents/${own.id}/${verb}`, { token, body: { reason: 'Fraud' } }))
      .status
  assert.equal(await change('suspend', first), 200)
  assert.equal(await change('reinstate', admin.token), 403)
  assert.equal(await change('reinstate', first), 200)
  assert.equal(await change('suspend', admin.token), 200)
  assert.equal(await change('reinstate', admin.token), 200)
})
