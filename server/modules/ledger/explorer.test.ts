import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { fund, registerHuman, sealAll, startTestService, type Person, type TestService } from '#test'

interface Accounts {
  items: { account: string; name: string; currency: string; balance: string; freezes: string[] }[]
  total: number
}
interface Entries {
  items: { journalId: string; amount: string; balanceAfter: string | null; counterparts: string[] }[]
  total: number
}
interface JournalView {
  legs: { debit: string; credit: string; debitName: string; amount: string }[]
  isSealed: boolean
}

let service: TestService
let token: string
let ada: Person
before(async () => {
  service = await startTestService()
  token = await service.adminToken()
  ada = await registerHuman(service)
  await fund(service, ada, 150)
})
after(() => service.close())

const get = <Body>(path: string) => service.http<Body>('GET', `/admin/ledger/${path}`, { token })

test('lists accounts of a code with their balances, also what is not sealed yet', async () => {
  for (const sealed of [false, true]) {
    if (sealed) await sealAll(service.services.db, service.services.secrets)
    const { body } = await get<Accounts>('accounts?code=1010')
    assert.deepEqual(body.items, [
      {
        account: '1010',
        name: 'card money at the processor',
        currency: 'USD',
        balance: '-145.35',
        freezes: [],
      },
    ])
  }
  const { body } = await get<Accounts>('accounts?code=2010&limit=1&currency=USD')
  assert.deepEqual([body.items.length, body.total > 1], [1, true])
  const own = (await get<Accounts>(`accounts?account=2010:${ada.walletId}`)).body.items
  assert.deepEqual(
    own.filter(({ currency }) => currency === 'USD').map(({ name, balance }) => [name, balance]),
    [[`wallet ${ada.walletId}`, '150.00']],
  )
  assert.equal((await get('accounts?code=20')).status, 400)
})

test('lists the entries of an account, and a journal with its legs', async () => {
  const account = `2010:${ada.walletId}`
  const { body } = await get<Entries>(`accounts/${account}/entries`)
  const [entry] = body.items
  assert.deepEqual([body.total, entry?.amount, entry?.balanceAfter], [1, '150.00', '150.00'])
  assert.deepEqual(entry?.counterparts, ['card money at the processor'])
  await sealAll(service.services.db, service.services.secrets)
  const journal = (await get<JournalView>(`journals/${entry?.journalId}`)).body
  assert.equal(journal.isSealed, true)
  const [leg] = journal.legs.filter(({ credit }) => credit === account)
  assert.deepEqual(
    [leg?.debit, leg?.debitName, leg?.amount],
    ['1010', 'card money at the processor', '150.00'],
  )
})

test('responds 404 for accounts that the chart does not know and for unknown journals', async () => {
  for (const path of ['accounts/9999/entries', 'accounts/2010/entries', 'accounts/1010:x/entries'])
    assert.equal((await get(path)).status, 404, path)
  for (const id of ['nonsense', newId()]) assert.equal((await get(`journals/${id}`)).status, 404)
  assert.equal((await get('accounts/1010/entries?limit=0')).status, 400)
})
