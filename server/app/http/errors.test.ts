import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { registerHuman, startTestService, type TestService } from '#test'

suite('errors of the database', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ LOG_LEVEL: 'silent' })
  })
  after(() => service.close())

  for (const [code, what] of [
    ['53100', 'disk is full'],
    ['58030', 'disk fails'],
  ] as const)
    test(`are a 503 with Retry-After when its ${what}`, async () => {
      const { token } = await registerHuman(service)
      const { db } = service.services
      await db.raw(`create or replace function fail_for_test() returns trigger language plpgsql as
        $$ begin raise exception 'the disk' using errcode = '${code}'; end $$`)
      await db.raw(
        'create or replace trigger fail_for_test before insert on agents_agent for each row execute function fail_for_test()',
      )
      const { status, headers, body } = await service.http('POST', '/agents', {
        token,
        body: { name: 'Agent' },
      })
      assert.deepEqual(
        [status, headers.get('retry-after'), body],
        [503, '1', { ...body, code: 'UNAVAILABLE' }],
      )
    })
})
