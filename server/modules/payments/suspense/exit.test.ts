import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  availableOf,
  notifyOf,
  pendingPage,
  processorEvent,
  registerAdmin,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface Item {
  id: string
  paymentId: string
  reason: string
  amount: string
  posted: boolean
  resolution: string | null
  journalId: string | null
  settledAt: string | null
}
interface Exit {
  item: Item
  approval?: { id: string; kind: string; payload: Record<string, string> }
  code: string
  items: Item[]
  total: number
}

let service: TestService
let admin: string
let second: Person
before(async () => {
  service = await startTestService({
    PROCESSOR_WEBHOOK_SECRET: 'whsec_of_this_file',
    ADMIN_TRANSFER_LIMIT_USD: '100',
  })
  admin = await service.adminToken()
  second = await registerAdmin(service)
})
after(() => service.close())

const suspense = () => balanceOf(service.services.db, accounts.suspense, 'USD')
const processor = () => balanceOf(service.services.db, accounts.processor, 'USD')
const post = (path: string, body: object = {}, token = admin, headers = {}) =>
  service.http<Exit>('POST', path, { token, body, headers })
const assign = (id: string, walletId: string, token = admin, headers = {}) =>
  post(`/admin/suspense/${id}/assign`, { walletId, reason: 'found the payer' }, token, headers)
const giveBack = (id: string) => post(`/admin/suspense/${id}/return`, { reason: 'refunded at the processor' })
const list = async (query = '') =>
  (await service.http<Exit>('GET', `/admin/suspense?limit=100&${query}`, { token: admin })).body

/** Money of another amount than was asked for; the payment is asked for 15 dollars. */
async function mismatch(
  cents: number,
  currency = 'usd',
): Promise<{ id: string; payer: Person; paymentId: string; event: (amount: number) => object }> {
  const { payer, intent } = await pendingPage(service, 15)
  const event = (amount: number) =>
    processorEvent('payment_intent.succeeded', { ...intent, currency, amount_received: amount })
  const {
    body: { outcome },
  } = await notifyOf(service, event(cents))
  assert.equal(outcome, currency === 'usd' ? 'suspense' : 'mismatch')
  return { id: intent.id, payer, paymentId: intent.metadata.paymentId, event }
}
const auditOf = async (paymentId: string) =>
  (
    await service.http<{ items: { action: string; details: Record<string, string> }[] }>(
      'GET',
      `/admin/audit?targetId=${paymentId}`,
      { token: admin },
    )
  ).body.items

describe('money in suspense', () => {
  test('is listed, open and settled', async () => {
    const { id, paymentId } = await mismatch(1400)
    const open = (await list('open=true')).items.find(item => item.id === id)
    assert.deepEqual(
      [open?.paymentId, open?.reason, open?.amount, open?.posted, open?.resolution],
      [paymentId, 'MISMATCH', '14.00', true, null],
    )
    await giveBack(id)
    assert.equal(
      (await list('open=true')).items.find(item => item.id === id),
      undefined,
    )
    assert.equal((await list('open=false')).items.find(item => item.id === id)?.resolution, 'RETURNED')
    assert.ok((await list()).total >= 1)
  })

  test('is assigned to a wallet, once and with an audit record', async () => {
    const { id, payer, paymentId } = await mismatch(1400)
    const before = await suspense()
    const { status, body, text } = await assign(id, payer.walletId)
    assert.deepEqual([status, body.item.resolution], [200, 'ASSIGNED'], text)
    assert.ok(body.item.journalId && body.item.settledAt)
    assert.deepEqual([await availableOf(service, payer), before - (await suspense())], ['14.00', 14_000_000n])
    const again = await assign(id, payer.walletId)
    assert.deepEqual([again.status, again.body.code], [409, 'SUSPENSE_SETTLED'])
    assert.equal((await giveBack(id)).status, 409)
    const record = (await auditOf(paymentId)).find(({ action }) => action === 'suspense.assigned')
    assert.deepEqual(
      [record?.details.amount, record?.details.reason, record?.details.walletId],
      ['14.00', 'found the payer', payer.walletId],
    )
  })

  test("is returned to the processor's account, and the payment can still be booked in full", async () => {
    const { id, payer, event } = await mismatch(1000)
    const [inSuspense, atProcessor] = [await suspense(), await processor()]
    assert.deepEqual(
      [
        (await giveBack(id)).body.item.resolution,
        inSuspense - (await suspense()),
        (await processor()) - atProcessor,
      ],
      ['RETURNED', 10_000_000n, 10_000_000n],
    )
    const {
      body: { outcome },
    } = await notifyOf(service, event(1500))
    assert.deepEqual(
      [outcome, await availableOf(service, payer), inSuspense - (await suspense())],
      ['booked', '15.00', 10_000_000n],
    )
  })

  test('of 16 exits at once one moves the money; an Idempotency-Key repeats the response', async () => {
    const { id, payer } = await mismatch(1400)
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) => (n % 2 ? assign(id, payer.walletId) : giveBack(id))),
    )
    assert.deepEqual(answers.map(({ status }) => String(status)).sort(), [
      '200',
      ...Array.from({ length: 15 }, () => '409'),
    ])
    const other = await mismatch(1400)
    const key = { 'idempotency-key': newId() }
    const [first, repeated] = [
      await assign(other.id, other.payer.walletId, admin, key),
      await assign(other.id, other.payer.walletId, admin, key),
    ]
    assert.deepEqual(
      [repeated.status, repeated.headers.get('idempotency-replayed'), repeated.body],
      [200, 'true', first.body],
    )
    assert.equal(
      (
        await post(
          `/admin/suspense/${other.id}/assign`,
          { walletId: payer.walletId, reason: 'x' },
          admin,
          key,
        )
      ).status,
      422,
    )
  })

  test('above the limit waits for another admin', async () => {
    const { id, payer, paymentId } = await mismatch(20_000)
    const {
      status,
      body: { item, approval },
    } = await assign(id, payer.walletId)
    assert.deepEqual(
      [status, item.resolution, approval?.kind, approval?.payload.amount, await availableOf(service, payer)],
      [200, null, 'payments.suspense', '200.00', '0.00'],
    )
    assert.equal(
      (await post(`/admin/approvals/${approval?.id}/approve`)).status,
      403,
      'not by the admin who asked for it',
    )
    assert.equal((await post(`/admin/approvals/${approval?.id}/approve`, {}, second.token)).status, 200)
    assert.equal(await availableOf(service, payer), '200.00')
    assert.deepEqual((await auditOf(paymentId)).map(({ action }) => action).sort(), [
      'payment.suspended',
      'suspense.assigned',
    ])
    const back = await mismatch(20_000)
    const asked = await giveBack(back.id)
    await service.services.db.pool.query(
      "update identity_session set created_at = now() - interval '6 minutes', proved_at = null",
    )
    assert.equal((await giveBack(back.id)).body.code, 'STEP_UP_REQUIRED')
    await service.services.db.pool.query('update identity_session set proved_at = now()')
    assert.equal(
      (await post(`/admin/approvals/${asked.body.approval?.id}/approve`, {}, second.token)).status,
      200,
    )
    assert.equal((await list('open=false')).items.find(each => each.id === back.id)?.resolution, 'RETURNED')
  })

  test('refuses unknown items and wallets, another currency, and what was never posted', async () => {
    const { id, payer } = await mismatch(1400)
    assert.deepEqual(
      [(await assign('pi_none', payer.walletId)).body.code, (await assign(id, newId())).body.code],
      ['SUSPENSE_NOT_FOUND', 'WALLET_NOT_FOUND'],
    )
    const usdc = await service.http<{ id: string }>('POST', '/wallets', {
      token: payer.token,
      body: { currency: 'USDC' },
    })
    assert.deepEqual(
      [(await assign(id, usdc.body.id)).status, (await assign(id, usdc.body.id)).body.code],
      [400, 'CURRENCY_MISMATCH'],
    )
    const gone = await registerHuman(service)
    await service.http('DELETE', '/users/me', { token: gone.token })
    assert.equal((await assign(id, gone.walletId)).status, 404)
    const euros = await mismatch(1500, 'eur')
    assert.deepEqual(
      [(await assign(euros.id, payer.walletId)).body.code, (await giveBack(euros.id)).body.item.journalId],
      ['SUSPENSE_NOT_POSTED', null],
    )
    assert.equal((await assign(id, payer.walletId, payer.token)).status, 403)
  })
})
