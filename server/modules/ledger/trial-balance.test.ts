import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fund, registerHuman, startTestService, type TestService } from '#test'

interface Trial {
  items: { code: string; currency: string; kind: string; debit: string; credit: string; accounts: number }[]
  totals: { currency: string; debit: string; credit: string; balanced: boolean }[]
}

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test('the trial balance shows debits and credits by account code, to admins', async () => {
  const person = await registerHuman(service)
  await fund(service, person, 150)
  const { status, body } = await service.http<Trial>('GET', '/admin/trial-balance', {
    token: await service.adminToken(),
  })
  assert.equal(status, 200)
  const row = (code: string) =>
    body.items.filter(item => item.code === code).map(({ kind, debit, credit }) => [kind, debit, credit])
  assert.deepEqual(
    [row('1010'), row('2010'), row('5010')],
    [[['asset', '145.35', '0.00']], [['liability', '0.00', '150.00']], [['expense', '4.65', '0.00']]],
  )
  assert.deepEqual(body.totals, [{ currency: 'USD', debit: '150.00', credit: '150.00', balanced: true }])
  assert.equal((await service.http('GET', '/admin/trial-balance', { token: person.token })).status, 403)
})
