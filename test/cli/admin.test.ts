import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { PayoutTrial, registerHuman, sharedService, type Payout, type Person, type TestService } from '#test'
import { Terminal } from './cli.ts'

interface Approval {
  id: string
  kind: string
  status: string
}

suite('svc admin', () => {
  let service: TestService
  let terminal: Terminal
  before(async () => {
    service = await sharedService()
    terminal = await Terminal.open(service.baseUrl)
    await terminal.json(
      ['login', '--email', 'admin@example.com', '--password-stdin'],
      'correct horse battery staple',
    )
  })
  after(async () => {
    await terminal.close()
    await service.close()
  })

  /** A payout so large that it waits for an admin. */
  async function reviewedPayout(): Promise<{ person: Person; payout: Payout }> {
    const person = await registerHuman(service)
    const payouts = new PayoutTrial(service, person)
    await payouts.ready(1500)
    const { body } = await payouts.request({ amount: 1001 })
    assert.equal(body.status, 'REVIEW')
    return { person, payout: body }
  }

  const payoutsOf = async ({ token }: Person) => {
    const { body } = await service.http<{ items: Payout[] }>('GET', '/payouts/user/history', { token })
    return body.items
  }

  const openApprovals = () => terminal.json<Approval[]>(['admin', 'approvals'])

  test('lists, approves and rejects what waits for an admin', async () => {
    for (const [verb, decided, payouts] of [
      // The processor may have it already.
      ['approve', 'APPROVED', ['REQUESTED', 'PENDING']],
      ['reject', 'REJECTED', ['CANCELED']],
    ] as const) {
      const before = new Set((await openApprovals()).map(({ id }) => id))
      const { person } = await reviewedPayout()
      const [approval = assert.fail(), ...others] = (await openApprovals()).filter(
        ({ id }) => !before.has(id),
      )
      assert.deepEqual([approval.kind, others], ['payouts.payout', []])
      const { out } = await terminal.svc(['admin', 'approvals'])
      assert.match(
        out,
        new RegExp(`^ID +KIND +STATUS +CREATED[\\s\\S]*^${approval.id} +payouts\\.payout`, 'm'),
      )
      const done = await terminal.json<Approval>(['admin', verb, approval.id])
      assert.deepEqual([done.id, done.status], [approval.id, decided])
      const [payout = assert.fail(), ...more] = await payoutsOf(person)
      assert.ok(
        payouts.some(status => status === payout.status),
        payout.status,
      )
      assert.deepEqual(more, [])
      const again = await terminal.svc(['admin', verb, approval.id])
      assert.equal(again.status, 1)
      assert.match(again.err, new RegExp(`^svc admin ${verb}: `))
    }
  })

  test('suspends an account with a reason, and reinstates it', async () => {
    const { id, email, token } = await registerHuman(service)
    const suspended = await terminal.svc(['admin', 'suspend', id, '--reason', 'Sold stolen reports'])
    assert.deepEqual([suspended.status, suspended.err], [0, ''])
    assert.match(suspended.out, new RegExp(`email +${email}`))
    const isRefused = await service.http('GET', '/users/me', { token })
    assert.ok(isRefused.status === 401 || isRefused.status === 403, isRefused.text)
    const audit = ['admin', 'audit', '--limit', '50']
    const records = await terminal.json<{ details: { reason?: string } }[]>(audit)
    assert.ok(records.some(({ details }) => details.reason === 'Sold stolen reports'))
    assert.match((await terminal.svc(audit)).out, /^\{.*"reason":"Sold stolen reports".*\}$/m)
    await terminal.json(['admin', 'suspend', id, '--reinstate'])
    const { status } = await service.http('POST', '/auth/login', {
      body: { email, password: 'correct horse battery staple' },
    })
    assert.equal(status, 200)
  })

  test('shows the trial balance, whose debits equal its credits', async () => {
    interface Line {
      currency: string
      debit: string
      credit: string
    }
    const { items, totals } = await terminal.json<{ items: Line[]; totals: Line[] }>([
      'admin',
      'trial-balance',
    ])
    const usd = totals.find(({ currency }) => currency === 'USD')
    assert.ok(usd && items.some(({ currency }) => currency === 'USD'))
    assert.equal(usd.debit, usd.credit)
    const { out } = await terminal.svc(['admin', 'trial-balance'])
    assert.match(out, /^CODE +NAME +CURRENCY +DEBIT +CREDIT$/m)
    assert.match(out, /^ +total +USD +(\d+\.\d\d) +\1$/m)
  })

  test('is refused to an account that is no admin with status 77', async () => {
    const other = await Terminal.open(service.baseUrl)
    await other.json(
      ['register', '--email', `${crypto.randomUUID()}@example.com`, '--name', 'Ada', '--password-stdin'],
      'correct horse battery',
    )
    for (const words of [
      ['approvals'],
      ['approve', crypto.randomUUID()],
      ['reject', crypto.randomUUID()],
      ['suspend', crypto.randomUUID()],
      ['audit'],
      ['trial-balance'],
    ])
      assert.equal((await other.svc(['admin', ...words])).status, 77, words.join(' '))
    await other.close()
  })
})
