import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { registerAdmin, registerHuman, startTestService, type Person, type TestService } from '#test'

interface Recorded {
  provider: string
  invoice: string
  amount: string
  journalId: string | null
  approval?: { id: string; status: string }
}

suite('invoices of model providers', () => {
  let service: TestService
  let admin: string
  let second: Person
  before(async () => {
    service = await startTestService({ ADMIN_TRANSFER_LIMIT_USD: '100' })
    admin = await service.adminToken()
    second = await registerAdmin(service)
  })
  after(() => service.close())

  const record = (provider: string, body: object, token = admin) =>
    service.http<Recorded>('POST', `/admin/providers/${provider}/invoices`, { token, body })
  const owed = () => balanceOf(service.services.db, accounts.provider('anthropic'), 'USD')

  test('are recorded once for each number; another amount is 409', async () => {
    const before = await owed()
    const [first, again] = [
      await record('anthropic', { invoice: 'A-1', amount: 80 }),
      await record('anthropic', { invoice: 'A-1', amount: '80.00' }),
    ]
    assert.equal(first.status, 201, first.text)
    assert.deepEqual(again.body, first.body)
    assert.equal((await record('anthropic', { invoice: 'A-1', amount: 81 })).status, 409)
    assert.equal(before - (await owed()), 80_000_000n)
    const { body: log } = await service.http<{ items: { action: string }[] }>(
      'GET',
      '/admin/audit?action=gateway.invoice_paid',
      { token: admin },
    )
    assert.equal(log.items.filter(({ action }) => action === 'gateway.invoice_paid').length, 1)
  })

  test('above the limit wait for another admin', async () => {
    const before = await owed()
    const { status, body } = await record('anthropic', { invoice: 'A-2', amount: 101 })
    assert.deepEqual([status, body.journalId, body.approval?.status], [201, null, 'PENDING'])
    const approve = (token: string) =>
      service.http('POST', `/admin/approvals/${body.approval?.id}/approve`, { token, body: {} })
    assert.equal((await approve(admin)).status, 403)
    assert.equal((await approve(second.token)).status, 200)
    assert.equal(before - (await owed()), 101_000_000n)
  })

  test('are refused for unknown providers and malformed numbers', async () => {
    assert.equal((await record('nobody', { invoice: 'A-3', amount: 1 })).status, 400)
    assert.equal((await record('openai', { invoice: 'two words', amount: 1 })).status, 400)
    assert.equal((await record('openai', { invoice: 'A-3', amount: 0 })).status, 400)
    const { token } = await registerHuman(service)
    assert.equal((await record('openai', { invoice: 'A-3', amount: 1 }, token)).status, 403)
  })
})
