import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, registerHuman, startTestService, type TestService } from '#test'
import { backgroundFigures } from './background-figures.ts'

let service: TestService
before(async () => {
  service = await startTestService({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` })
})
after(() => service.close())

test('the age of the oldest job shows that mails wait for an SMTP server, however few', async () => {
  const oldest = async () => (await backgroundFigures(service.services)).svc_jobs_oldest_seconds ?? 0
  await registerHuman(service)
  const age = () =>
    service.services.db.pool.query(
      `update jobs.job set created_on = created_on - interval '2 hours' where name = 'mail.send'`,
    )
  // The job comes after the response.
  while (!(await age()).rowCount) await sleep(50)
  assert.ok((await oldest()) >= 7200)
  await service.services.db.pool.query(`delete from jobs.job`)
  assert.equal(await oldest(), 0)
})
