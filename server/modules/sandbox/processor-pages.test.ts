import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { processorOf } from '#payments'
import { newId } from '#platform/kernel/id'
import { openSandboxFixture, sharedService, type TestService } from '#test'

interface Dispute {
  id: string
  paymentIntentId: string
  status: string
  amount: string
  fee: string
  code: string
  hint: string
}

let service: TestService
let admin: string
before(async () => {
  service = await sharedService()
  admin = await service.adminToken()
})
after(() => service.close())

const byAdmin = (path: string, body: object) =>
  service.http<Dispute>('POST', `/sandbox/processor/disputes${path}`, { token: admin, body })

/** A payment at the processor alone, of another installation: its events change nothing here. */
const payment = async () =>
  (
    await processorOf(service.services).charge({
      id: newId(),
      installation: 'another',
      cents: 3000,
      description: 'Test',
      paymentMethodId: 'pm_card_visa',
    })
  ).processorId

test('an admin disputes a payment once and decides it once', async () => {
  const paymentIntentId = await payment()
  const { status, body } = await byAdmin('', { paymentIntentId, reason: 'duplicate' })
  assert.deepEqual(
    [status, body.paymentIntentId, body.status, body.amount, body.fee],
    [201, paymentIntentId, 'needs_response', '30.00', '15.00'],
  )
  assert.equal((await byAdmin('', { paymentIntentId })).status, 409)
  const close = async (won: boolean, id = body.id) => byAdmin(`/${id}/close`, { won })
  assert.deepEqual(
    [(await close(true)).body.status, (await close(true)).status, (await close(false)).status],
    ['won', 200, 409],
  )
  assert.deepEqual(
    [(await byAdmin('', { paymentIntentId: 'pi_unknown' })).status, (await close(true, 'du_unknown')).status],
    [404, 404],
  )
  const { rows } = await service.services.db.pool.query<{ type: string }>(
    "select type from payments_event where body #>> '{data,object,id}' = $1 order by type desc",
    [body.id],
  )
  assert.deepEqual(
    rows.map(({ type }) => type),
    ['charge.dispute.created', 'charge.dispute.closed'],
  )
})

test('the onboarding page takes test numbers, and what the identity check finds decides', async () => {
  const { accounts } = processorOf(service.services)
  const { accountId } = await accounts.create({
    id: newId(),
    installation: 'another',
    email: null,
    country: null,
  })
  const urls = { returnUrl: 'https://example.com/done', refreshUrl: 'https://example.com/again' }
  const link = async () => new URL((await accounts.onboardingLink(accountId, urls)).url).pathname
  const path = await link()
  const page = await service.http('GET', path)
  assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  assert.match(page.text, /Where should your payouts go\?/)
  const submit = (body: object, to = path) =>
    service.http<{ payoutsEnabled: boolean; disabledReason: string | null; requirements: string[] }>(
      'POST',
      to,
      { body },
    )
  const result = async (idNumber: string) => {
    const { body } = await submit({ accountNumber: '000123456789', idNumber })
    return [body.payoutsEnabled, body.disabledReason, body.requirements]
  }
  assert.equal((await submit({ accountNumber: '12' })).status, 400)
  assert.equal((await submit({ accountNumber: '000123456789', idNumber: '5' })).status, 400)
  assert.deepEqual(await result('111111111'), [
    false,
    'requirements.past_due',
    ['individual.verification.document'],
  ])
  assert.deepEqual(await result('222222222'), [false, 'requirements.pending_verification', []])
  assert.deepEqual(await result('000000000'), [true, null, []])
  assert.match((await service.http('GET', path)).text, /Payouts to your bank account are enabled/)
  assert.deepEqual(await result('999999999'), [false, 'rejected.fraud', []])
  assert.equal((await submit({ accountNumber: '000123456789' })).status, 409, 'rejected')

  const expired = await link()
  await service.services.db.pool.query(
    `update platform_processor_object set body = body || '{"expires_at": 0}' where id = $1`,
    [expired.split('/').at(-1)],
  )
  assert.match((await service.http('GET', expired)).text, /href="https:\/\/example.com\/again"/)
  assert.equal((await submit({ accountNumber: '000123456789' }, expired)).status, 409)
  assert.equal((await service.http('GET', '/sandbox/onboarding/link_unknown')).status, 404)
  assert.equal(
    (await submit({ accountNumber: '000123456789' }, '/sandbox/onboarding/link_unknown')).status,
    404,
  )
})

test('an identity that is checked later, a payout and an unanswered dispute end by themselves', async () => {
  const fixture = await openSandboxFixture()
  try {
    const { processor, database } = fixture
    const order = { id: newId(), installation: 'here', email: null, country: 'US' }
    const { accountId } = await processor.accounts.create(order)
    const urls = { returnUrl: 'https://example.com', refreshUrl: 'https://example.com' }
    const { url } = await processor.accounts.onboardingLink(accountId, urls)
    const linkId = new URL(url).pathname.split('/').at(-1) ?? ''
    await processor.completeOnboarding(linkId, { accountNumber: '000123456789', idNumber: '222222222' })
    const charge = { cents: 3000, installation: 'here', description: 'Test' }
    const { processorId } = await processor.charge({
      ...charge,
      id: newId(),
      paymentMethodId: 'pm_card_createDispute',
    })
    const disputeId = await fixture.disputeOf(processorId)
    await fixture.advance(25 * 3_600_000)
    assert.equal((await processor.accounts.read(accountId)).isPayoutsEnabled, true)
    const send = { id: newId(), installation: 'here', accountId, cents: 100, description: 'Payout' }
    await processor.payouts.send(send)
    await fixture.advance(7 * 86_400_000)
    assert.equal((await processor.disputes.read(disputeId))?.state, 'lost')
    const { rows } = await database.db.pool.query<{ type: string; account: string | null }>(
      "select body::json->>'type' as type, body::json->>'account' as account from platform_processor_event order by created_at, id",
    )
    const types = rows.map(({ type }) => type)
    for (const type of [
      'account.updated',
      'payment_intent.succeeded',
      'charge.dispute.created',
      'transfer.created',
      'payout.created',
      'payout.updated',
      'payout.paid',
      'charge.dispute.closed',
    ])
      assert.ok(types.includes(type), `${type} is missing in ${types.join(', ')}`)
    assert.equal(rows.find(({ type }) => type === 'payout.paid')?.account, accountId)
  } finally {
    await fixture.close()
  }
})
