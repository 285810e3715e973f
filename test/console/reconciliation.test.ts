import assert from 'node:assert/strict'
import { before, suite } from 'node:test'
import { newId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import { openConsole } from './support/console.ts'
import { ADMIN } from './support/desk.ts'

suite('a long reconciliation', () => {
  const console = openConsole()
  const id = newId()
  before(async () => {
    const { db } = console.service.services
    await db.run(sql`
      insert into reconciliation_run (id, from_at, to_at, trigger, compared, open, finished_at)
      values (${id}, now() - interval '1 day', now(), 'ADMIN', '{"card": 60}', 0, now())`)
    await db.run(sql`
      insert into reconciliation_difference (id, run_id, rail, kind, subject, external_id, note, is_open)
      select gen_random_uuid(), ${id}, 'card', 'EVENT_LOST', 'payment', 'pi_' || n, 'It was read again', false
      from generate_series(1, 60) n`)
  })

  const play = console.playAs(() => ADMIN, '/app/admin')

  play(
    'shows its first differences, how many there are, and where all of them are',
    '/reconciliation',
    async ({ page, sees }) => {
      await sees(`The first 50 are shown. For all of them: GET /admin/reconciliation/${id}`)
      await page.getByText(/60 differences/).waitFor()
      assert.equal(await page.getByRole('cell', { name: /^pi_/ }).count(), 50)
    },
  )
})
