import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accounts, balanceOf } from '#ledger'
import { newId } from '#platform/kernel/id'
import {
  availableOf,
  fund,
  registerAdmin,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface Funds {
  walletId: string
  amount: string
  currency: string
  since: string
}
interface Answer {
  amount: string
  journalId: string | null
  approval?: { id: string; kind: string }
  code: string
  items: Funds[]
  total: number
}

let service: TestService
let admin: string
let second: Person
before(async () => {
  service = await startTestService({ ADMIN_TRANSFER_LIMIT_USD: '100' })
  admin = await service.adminToken()
  second = await registerAdmin(service)
})
after(() => service.close())

const unclaimed = () => balanceOf(service.services.db, accounts.unclaimed, 'USD')
const post = (path: string, body: object, token = admin) =>
  service.http<Answer>('POST', path, { token, body })
const assign = (walletId: string, toWalletId: string, token = admin) =>
  post(`/admin/unclaimed/${walletId}/assign`, { toWalletId, reason: 'the owner proved it' }, token)
const list = async () =>
  (await service.http<Answer>('GET', '/admin/unclaimed?limit=100', { token: admin })).body

/** The wallet of a deleted account that left money behind. */
async function leftBehind(amount: number): Promise<string> {
  const person = await registerHuman(service)
  await fund(service, person, amount)
  const { status, text } = await service.http('DELETE', '/users/me', { token: person.token })
  assert.ok(status < 300, text)
  return person.walletId
}

test('lists unclaimed funds by wallet and assigns them in full, once', async () => {
  const walletId = await leftBehind(25)
  const other = await leftBehind(5)
  const heir = await registerHuman(service)
  const listed = await list()
  assert.deepEqual(
    listed.items
      .filter(item => [walletId, other].includes(item.walletId))
      .map(({ amount, currency }) => [amount, currency]),
    [
      ['25.00', 'USD'],
      ['5.00', 'USD'],
    ],
  )
  assert.ok(listed.total >= 2)
  const before = await unclaimed()
  const { status, body, text } = await assign(walletId, heir.walletId)
  assert.deepEqual(
    [status, body.amount, before - (await unclaimed()), await availableOf(service, heir)],
    [200, '25.00', 25_000_000n, '25.00'],
    text,
  )
  const again = await assign(walletId, heir.walletId)
  assert.deepEqual([again.status, again.body.code], [409, 'NOTHING_UNCLAIMED'])
  assert.deepEqual(
    (await list()).items.find(item => item.walletId === walletId),
    undefined,
  )
  const {
    body: { items },
  } = await service.http<{ items: { action: string; details: Record<string, string> }[] }>(
    'GET',
    `/admin/audit?targetId=${walletId}`,
    { token: admin },
  )
  assert.deepEqual(
    items
      .filter(({ action }) => action === 'wallet.unclaimed_assigned')
      .map(({ details }) => [details.amount, details.toWalletId, details.journalId]),
    [['25.00', heir.walletId, body.journalId]],
  )
})

test('moves the money once for 16 parallel assignments', async () => {
  const walletId = await leftBehind(25)
  const heirs = [await registerHuman(service), await registerHuman(service)]
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) => assign(walletId, heirs[n % 2]?.walletId ?? '')),
  )
  assert.deepEqual(answers.map(({ status }) => String(status)).sort(), [
    '200',
    ...Array.from({ length: 15 }, () => '409'),
  ])
})

test('above the limit waits for another admin and needs a recent proof', async () => {
  const walletId = await leftBehind(200)
  const heir = await registerHuman(service)
  const {
    body: { approval, journalId },
  } = await assign(walletId, heir.walletId)
  assert.deepEqual(
    [approval?.kind, journalId, await availableOf(service, heir)],
    ['wallets.unclaimed', null, '0.00'],
  )
  await service.services.db.pool.query(
    "update identity_session set created_at = now() - interval '6 minutes', proved_at = null",
  )
  assert.equal((await assign(walletId, heir.walletId)).body.code, 'STEP_UP_REQUIRED')
  await service.services.db.pool.query('update identity_session set proved_at = now()')
  assert.equal((await post(`/admin/approvals/${approval?.id}/approve`, {}, second.token)).status, 200)
  assert.equal(await availableOf(service, heir), '200.00')
})

test('rejects deleted receivers and callers that are not admins', async () => {
  const walletId = await leftBehind(5)
  const heir = await registerHuman(service)
  assert.deepEqual(
    [(await assign(newId(), heir.walletId)).status, (await assign(walletId, newId())).status],
    [404, 404],
  )
  assert.equal((await assign(walletId, walletId)).status, 404, 'The account of its owner has been deleted')
  const { body: usdc } = await service.http<{ id: string }>('POST', '/wallets', {
    token: heir.token,
    body: { currency: 'USDC' },
  })
  assert.equal((await assign(walletId, usdc.id)).status, 400)
  assert.equal((await assign(walletId, heir.walletId, heir.token)).status, 403)
  assert.equal(
    (await assign(heir.walletId, second.walletId)).status,
    409,
    'a wallet in use left nothing behind',
  )
})
