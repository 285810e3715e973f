import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { fund, registerHuman, sharedService, type Person, type TestService } from '#test'

type Answer = { status: number; message?: string }

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

const available = async (person: Person) =>
  (await service.http<{ available: string }>('GET', `/wallets/${person.walletId}`, { token: person.token }))
    .body.available
const send = async (from: Person, to: Person, amount: number): Promise<Answer> => {
  const { status, body } = await service.http<{ message?: string }>(
    'POST',
    `/wallets/${from.walletId}/transfer`,
    { token: from.token, body: { toWalletId: to.walletId, amount } },
  )
  return { status, message: body.message }
}
const count = (answers: Answer[], status: number) => answers.filter(answer => answer.status === status).length
const pair = async (): Promise<[Person, Person]> => [
  await registerHuman(service),
  await registerHuman(service),
]

test('executes exactly 10 of 64 parallel transfers if the balance covers 10', async () => {
  const [from, to] = await pair()
  await fund(service, from, 10)
  const answers = await Promise.all(Array.from({ length: 64 }, () => send(from, to, 1)))
  assert.deepEqual([count(answers, 201), count(answers, 400)], [10, 54])
  assert.deepEqual(
    [...new Set(answers.filter(answer => answer.status === 400).map(answer => answer.message))],
    ['Insufficient balance'],
  )
  assert.deepEqual([await available(from), await available(to)], ['0.00', '10.00'])
})

test('pays 10 of 64 parallel transfers with test credit and 10 with money', async () => {
  const [from, to] = await pair()
  const credit = await service.http('POST', '/wallets/admin/test-credit', {
    token: await service.adminToken(),
    body: { walletId: from.walletId, amount: 10, reason: 'race' },
  })
  assert.equal(credit.status, 201)
  await fund(service, from, 10)
  const answers = await Promise.all(Array.from({ length: 64 }, () => send(from, to, 1)))
  assert.deepEqual([count(answers, 201), count(answers, 400)], [20, 44])
  const { body } = await service.http<{ withdrawable: string; testBalance: string }>(
    'GET',
    `/wallets/${to.walletId}`,
    { token: to.token },
  )
  assert.deepEqual([body.withdrawable, body.testBalance], ['10.00', '10.00'])
})

test('completes parallel transfers in opposite directions without loss', async () => {
  const [left, right] = await pair()
  await fund(service, left, 50)
  await fund(service, right, 50)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => (n % 2 ? send(left, right, 1) : send(right, left, 1))),
  )
  assert.equal(count(answers, 201), 40)
  assert.deepEqual([await available(left), await available(right)], ['50.00', '50.00'])
})

test('executes 64 parallel requests with one Idempotency-Key once', async () => {
  const [from, to] = await pair()
  await fund(service, from, 100)
  const key = newId()
  const once = (amount: number) =>
    service.http('POST', `/wallets/${from.walletId}/transfer`, {
      token: from.token,
      headers: { 'idempotency-key': key },
      body: { toWalletId: to.walletId, amount },
    })
  const answers = await Promise.all(Array.from({ length: 64 }, () => once(7)))
  assert.ok(
    answers.every(({ status }) => status === 201 || status === 409),
    answers.map(({ status }) => status).join(),
  )
  const again = await once(7)
  assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true'])
  assert.ok(answers.filter(({ status }) => status === 201).every(({ text }) => text === again.text))
  assert.equal((await once(8)).status, 422)
  assert.deepEqual([await available(from), await available(to)], ['93.00', '7.00'])
})
