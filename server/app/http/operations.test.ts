import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import cookie from '@fastify/cookie'
import fastify from 'fastify'
import { Type } from '#platform/http/type'
import type { BodyOf } from '#platform/http/operation'
import { command, commandInSteps, page, query, resumableCommand, type App } from '#platform/http/operations'
import type { Principal } from '#platform/http/principal'
import { media, redirect, respond } from '#platform/http/response'
import { apiError, COMMON } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import { openTestDb, type TestDb } from '#test'
import { installAuth } from './auth.ts'
import { installErrors } from './errors.ts'

const Motto = Type.Object({ id: Type.String(), text: Type.String(), note: Type.Optional(Type.String()) })
const Body = Type.Object({ text: Type.String() })

const SESSION: Principal = {
  via: 'session',
  accountId: newId(),
  userType: 'HUMAN',
  role: 'USER',
  sessionId: newId(),
}

suite('operations', () => {
  let t: TestDb
  let app: App
  let isFinal = true

  before(async () => {
    t = await openTestDb()
    await t.db.run(sql`create table motto (id uuid primary key, text text not null)`)
    app = fastify({ genReqId: () => 'request-1' })
    await app.register(cookie)
    app.decorate('db', t.db)
    app.decorateRequest('rawBody', null)
    app.decorateRequest('refusal', null)
    installErrors(app, {})
    installAuth(app, async () => SESSION)
    declareOperations()
    await app.ready()
  })
  after(async () => {
    await app.close()
    await t.close()
  })

  function declareOperations(): void {
    const common = { tag: 'Test', summary: 'Test', access: { accept: ['jwt'] } } as const
    command(app, {
      ...common,
      method: 'POST',
      url: '/mottos',
      id: 'createMotto',
      body: Body,
      idempotent: true,
      success: [201, Motto],
      otherResponses: { 200: Motto },
      run: async (tx, _, { body: { text } }) => {
        const id = newId()
        await tx.run(sql`insert into motto values (${id}, ${text})`)
        if (text === 'refused') throw apiError(COMMON.CONFLICT)
        return { id, text }
      },
    })
    resumableCommand(app, {
      ...common,
      method: 'POST',
      url: '/slow-mottos',
      id: 'createSlowMotto',
      body: Body,
      success: [201, Motto],
      longestMs: 1000,
      isFinal: () => isFinal,
      run: async (id, _, { body: { text } }) => ({ id, text }),
    })
    commandInSteps(app, {
      ...common,
      method: 'POST',
      url: '/sign-in',
      id: 'signIn',
      success: [200, Motto],
      run: async (db, ctx) => {
        const { id } = await db.transaction(tx => tx.one(sql<{ id: string }>`select 'one' as id`))
        const options = { path: '/', httpOnly: true, secure: false, sameSite: 'lax' } as const
        const cookies = [
          { name: 'device', value: ctx.principal.sessionId, options },
          { name: 'state', value: null, options },
        ]
        return respond({ id, text: 'x' }, { status: 202, headers: { 'x-motto': 'yes' }, cookies })
      },
    })
    query(app, {
      ...common,
      method: 'GET',
      url: '/context',
      id: 'getContext',
      success: [200, Type.Object({ context: Type.Unknown() })],
      run: async (_, context) => ({ context }),
    })
    query(app, {
      ...common,
      method: 'GET',
      url: '/writing-snapshot',
      id: 'writeInSnapshot',
      snapshot: true,
      success: [200, Type.Object({ rows: Type.Integer() })],
      run: async q => ({ rows: await q.run(sql`insert into motto values (${newId()}, 'snapshot')`) }),
    })
    command(app, {
      ...common,
      method: 'DELETE',
      url: '/mottos',
      id: 'deleteMottos',
      success: 204,
      prepare: (_, { http }) => {
        if (http.headers['x-sure'] !== 'yes') throw apiError(COMMON.FORBIDDEN)
      },
      run: async tx => {
        await tx.run(sql`delete from motto`)
      },
    })
    const file = { tag: 'Test', summary: 'Test', access: 'public', method: 'GET' } as const
    page(app, {
      ...file,
      url: '/icon',
      id: 'getIcon',
      produces: 'image/svg+xml',
      success: [200, Type.String()],
      run: () => media('<svg/>', 'image/svg+xml'),
    })
    page(app, {
      ...file,
      url: '/old',
      id: 'getOld',
      produces: 'text/html',
      success: [302, Type.String()],
      run: () => redirect('/new'),
    })
  }

  const call = (method: 'GET' | 'POST' | 'DELETE', url: string, headers = {}, payload?: object) =>
    app.inject({
      method,
      url,
      headers: { authorization: 'Bearer a.b.c', ...headers },
      ...(payload ? { payload } : {}),
    })
  const count = async () => (await t.db.one(sql<{ n: number }>`select count(*)::int as n from motto`)).n

  test('a command responds with the declared status, whatever other statuses exist', async () => {
    const response = await call('POST', '/mottos', {}, { text: 'a' })
    assert.equal(response.statusCode, 201)
    assert.equal(response.json<{ text: string }>().text, 'a')
  })

  test('a repeated Idempotency-Key replays the response and runs the command once', async () => {
    const headers = { 'idempotency-key': newId() }
    const before = await count()
    const first = await call('POST', '/mottos', headers, { text: 'once' })
    const second = await call('POST', '/mottos', headers, { text: 'once' })
    assert.deepEqual([second.statusCode, second.json()], [201, first.json()])
    assert.deepEqual(
      [first.headers['idempotency-replayed'], second.headers['idempotency-replayed']],
      [undefined, 'true'],
    )
    assert.equal(await count(), before + 1)
    assert.equal((await call('POST', '/mottos', headers, { text: 'other' })).statusCode, 422)
  })

  test('a refused command leaves no row and frees its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': newId() }
    const before = await count()
    assert.equal((await call('POST', '/mottos', headers, { text: 'refused' })).statusCode, 409)
    assert.equal(await count(), before)
    assert.equal((await call('POST', '/mottos', headers, { text: 'accepted' })).statusCode, 201)
  })

  test('a resumable command continues with the same id until its result is final', async () => {
    const headers = { 'idempotency-key': newId() }
    const create = async () => {
      const response = await call('POST', '/slow-mottos', headers, { text: 'slow' })
      return [
        response.statusCode,
        response.json<{ id: string }>().id,
        response.headers['idempotency-replayed'],
      ]
    }
    isFinal = false
    const [status, id, replayed] = await create()
    assert.deepEqual([status, replayed], [201, undefined])
    isFinal = true
    assert.deepEqual(await create(), [201, id, undefined])
    assert.deepEqual(await create(), [201, id, 'true'])
  })

  test('a response sets status, headers and cookies', async () => {
    const response = await call('POST', '/sign-in')
    assert.deepEqual([response.statusCode, response.headers['x-motto']], [202, 'yes'])
    assert.deepEqual(
      response.cookies.map(({ name, value, httpOnly }) => [name, value, httpOnly]),
      [
        ['device', SESSION.sessionId, true],
        ['state', '', true],
      ],
    )
  })

  test('the context has principal, address, user agent and request id', async () => {
    const { json } = await call('GET', '/context', { 'user-agent': 'probe' })
    assert.deepEqual(json<{ context: object }>().context, {
      principal: SESSION,
      ip: '127.0.0.1',
      userAgent: 'probe',
      requestId: 'request-1',
    })
  })

  test('a query that reads a snapshot cannot write', async () => {
    const before = await count()
    assert.equal((await call('GET', '/writing-snapshot')).statusCode, 500)
    assert.equal(await count(), before)
  })

  test('a check before the transaction refuses the command, and 204 has no body', async () => {
    assert.equal((await call('DELETE', '/mottos')).statusCode, 403)
    const { statusCode, body } = await call('DELETE', '/mottos', { 'x-sure': 'yes' })
    assert.deepEqual([statusCode, body, await count()], [204, '', 0])
  })

  test('a page has its own media type, or redirects', async () => {
    const icon = await call('GET', '/icon')
    assert.deepEqual([icon.headers['content-type'], icon.body], ['image/svg+xml', '<svg/>'])
    const old = await call('GET', '/old')
    assert.deepEqual([old.statusCode, old.headers.location], [302, '/new'])
  })
})

test('the compiler refuses a response with a missing or mistyped field', () => {
  type Fits<Result> = Result extends BodyOf<readonly [201, typeof Motto]> ? true : false
  const complete: Fits<{ id: string; text: string }> = true
  const missing: Fits<{ id: string }> = false
  const mistyped: Fits<{ id: string; text: Date }> = false
  const nulled: Fits<{ id: string; text: string; note: null }> = false
  assert.deepEqual([complete, missing, mistyped, nulled], [true, false, false, false])
})
