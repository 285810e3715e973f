import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { fund, registerHuman, startTestService, type Instance, type TestService } from '#test'

const role = `svc_app_${randomBytes(4).toString('hex')}`
const INSERT_ONLY = [
  'ledger_journal',
  'ledger_entry',
  'ledger_block',
  'platform_audit',
  'platform_audit_block',
]
const DELETE_TOO = ['ledger_memo', 'platform_audit_private']
let service: TestService
let restricted: Instance
let superuser: pg.Client

/** The grants of docs/OPERATIONS.md. */
before(async () => {
  service = await startTestService()
  superuser = new pg.Client({ connectionString: service.superuserUrl })
  await superuser.connect()
  await superuser.query(`create role ${role} login password 'x'`)
  await superuser.query(`grant usage on schema public, jobs to ${role}; grant create on schema jobs to ${role};
    grant select, insert, update, delete on all tables in schema public to ${role}; grant all on all tables in schema jobs to ${role};
    grant usage, select on all sequences in schema public, jobs to ${role}; grant execute on all functions in schema jobs to ${role};
    revoke update, delete on ${[...INSERT_ONLY, ...DELETE_TOO].join(', ')} from ${role}; grant delete on ${DELETE_TOO.join(', ')} to ${role};`)
  const url = new URL(service.databaseUrl)
  url.username = role
  url.password = 'x'
  restricted = await service.instance({ DATABASE_DIRECT_URL: service.databaseUrl }, url.href)
})
after(async () => {
  await restricted.close()
  await superuser.query(`drop owned by ${role}; drop role ${role}`)
  await superuser.end()
  await service.close()
})

test('the service runs with a role that can only add evidence', async () => {
  const at: TestService = { ...service, ...restricted, databaseUrl: service.databaseUrl }
  const person = await registerHuman(at)
  await fund(at, person, 20)
  assert.equal((await restricted.http('DELETE', '/users/me', { token: person.token })).status, 204)
  for (const table of INSERT_ONLY) {
    const {
      rows: [may],
    } = await restricted.services.db.pool.query<{ update: boolean }>(
      "select has_table_privilege($1, 'update') as update",
      [table],
    )
    assert.equal(may?.update, false, table)
    for (const statement of [
      `delete from ${table}`,
      `truncate ${table} cascade`,
      `alter table ${table} disable trigger all`,
    ]) {
      await assert.rejects(restricted.services.db.pool.query(statement), { code: '42501' }, statement)
    }
  }
})
