import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { registerHuman, sharedService, type Person, type TestService } from '#test'
import { planOf } from '../../../../test/support/database/plan.ts'
import { people } from './people-sql.ts'

interface People {
  items: { id: string; displayName: string; status: string }[]
  total: number
}

let service: TestService
let token: string
let ada: Person
before(async () => {
  service = await sharedService()
  token = await service.adminToken()
  ada = await registerHuman(service)
  await service.http('PATCH', '/users/me', {
    token: ada.token,
    body: { displayName: 'Ada of the Operators' },
  })
})
after(() => service.close())

const list = async (query: string): Promise<People> => {
  const { status, body } = await service.http<People>('GET', `/admin/users?${query}`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const finds = async (query: string): Promise<boolean> =>
  (await list(query)).items.some(({ id }) => id === ada.id)

test('finds an account by words of its name, its address and its id', async () => {
  for (const search of ['operators ada', 'Operat', ada.email.toUpperCase(), ada.email.split('@')[0], ada.id])
    assert.ok(await finds(`search=${encodeURIComponent(String(search))}`), search)
  for (const search of ['operators bob', '%', '_', "it's & | ! :*"])
    assert.ok(!(await finds(`search=${encodeURIComponent(search)}`)), search)
})

test('finds an account by its name without accents, and by a part of a name without spaces', async () => {
  const person = await registerHuman(service)
  const names: [name: string, searches: string[]][] = [
    ['Jürgen Groß-Müller', ['jurgen muller', 'Gross-Mu', 'JÜRGEN']],
    ['山田太郎', ['太郎', '山田', '田太']],
  ]
  for (const [displayName, searches] of names) {
    await service.http('PATCH', '/users/me', { token: person.token, body: { displayName } })
    for (const search of searches) {
      const { items } = await list(`search=${encodeURIComponent(search)}`)
      assert.deepEqual([search, ...items.map(({ id }) => id)], [search, person.id])
    }
  }
})

test('a search reads by indexes alone, whatever it looks for', async () => {
  for (const search of ['operators ada', ada.id]) {
    const statement = people({ search }, { limit: 20, offset: 0 })
    assert.match(await planOf(service, statement, ['enable_seqscan', 'enable_indexscan']), /BitmapOr/)
  }
})

test('filters by role, kind, status and ids; deleted accounts only show when asked for', async () => {
  assert.ok(await finds('userType=HUMAN&role=USER&status=ACTIVE&limit=100'))
  assert.ok(!(await finds('role=ADMIN&limit=100')))
  const gone = await registerHuman(service)
  await service.http('DELETE', '/users/me', { token: gone.token })
  const ids = `ids=${ada.id},${gone.id},${newId()},nonsense`
  assert.deepEqual((await list(ids)).items.map(({ status }) => status).sort(), ['ACTIVE', 'DELETED'])
  assert.equal((await list(`search=${gone.id}`)).total, 0)
  assert.equal((await list(`search=${gone.id}&status=DELETED`)).total, 1)
})

test('pages through accounts, the newest first', async () => {
  const [first, second] = [await list('limit=1'), await list('limit=1&offset=1')]
  assert.ok(first.total > 1)
  assert.notEqual(first.items[0]?.id, second.items[0]?.id)
})

test('refuses more than 100 ids and unknown filters with 400', async () => {
  const many = Array.from({ length: 101 }, () => 'a').join(',')
  for (const query of [`ids=${many}`, 'status=GONE', 'limit=0'])
    assert.equal((await service.http('GET', `/admin/users?${query}`, { token })).status, 400, query)
})

test('shows how an account signs in; 404 for an unknown one', async () => {
  const { status, body } = await service.http<Record<string, unknown>>('GET', `/admin/users/${ada.id}`, {
    token,
  })
  assert.equal(status, 200)
  assert.deepEqual(
    [body.displayName, body.sessions, body.mfaEnabled, body.apiKeys, body.role],
    ['Ada of the Operators', 1, false, 0, 'USER'],
  )
  for (const id of ['nonsense', newId()])
    assert.equal((await service.http('GET', `/admin/users/${id}`, { token })).status, 404)
})

test('lists the wallets of an account for an admin', async () => {
  const wallets = (id: string) =>
    service.http<{ items: { id: string }[] }>('GET', `/admin/wallets?accountId=${id}`, { token })
  assert.deepEqual(
    (await wallets(ada.id)).body.items.map(({ id }) => id),
    [ada.walletId],
  )
  assert.deepEqual((await wallets('nonsense')).body.items, [])
  assert.equal((await service.http('GET', '/admin/wallets', { token })).status, 400)
})
