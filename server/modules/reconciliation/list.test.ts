import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sharedService, type TestService } from '#test'
import { newId } from '#platform/kernel/id'
import * as statements from './sql.ts'

interface Report {
  id: string
  open: number
  differencesTotal: number
  differences: { externalId: string; open: boolean }[]
}

let service: TestService
let token: string
before(async () => {
  service = await sharedService()
  token = await service.adminToken()
})
after(() => service.close())

/** A report of as many differences, of which the last one needs an operator. */
async function insertReport(count: number): Promise<string> {
  const id = newId()
  const { db, clock } = service.services
  const toAt = clock.now()
  const fromAt = new Date(toAt.getTime() - 1000)
  const run = {
    id,
    fromAt,
    toAt,
    trigger: 'ADMIN',
    compared: { card: count },
    open: 1,
    finishedAt: toAt,
  } as const
  await db.transaction(async tx => {
    await tx.run(statements.insertRun(run))
    for (let number = 1; number <= count; number++)
      await tx.run(
        statements.insertDifference({
          id: newId(),
          runId: id,
          rail: 'card',
          kind: 'EVENT_LOST',
          subject: 'payment',
          externalId: `pi_${number}`,
          ourId: null,
          expected: null,
          actual: null,
          note: 'It was read again and booked',
          isOpen: number === count,
        }),
      )
  })
  return id
}

test('a list shows 50 differences of each report, the open ones first, and how many there are', async () => {
  const [long, short] = [await insertReport(60), await insertReport(2)]
  const { body } = await service.http<{ items: Report[] }>('GET', '/admin/reconciliation?limit=100', {
    token,
  })
  const listed = (id: string) => {
    const report = body.items.find(each => each.id === id)
    assert(report)
    return report
  }
  assert.deepEqual([listed(long).differences.length, listed(long).differencesTotal], [50, 60])
  assert.deepEqual(
    listed(long)
      .differences.slice(0, 2)
      .map(({ externalId, open }) => [externalId, open]),
    [
      ['pi_60', true],
      ['pi_1', false],
    ],
  )
  assert.deepEqual([listed(short).differences.length, listed(short).differencesTotal], [2, 2])
  const { body: whole } = await service.http<Report>('GET', `/admin/reconciliation/${long}`, { token })
  assert.deepEqual([whole.differences.length, whole.differencesTotal], [60, 60])
})
