import { createLog } from '../../../server/platform/adapters/log/log.ts'
import { Timers } from '../../../server/platform/kernel/background/timers.ts'
import { SandboxProcessor } from '../../../server/modules/payments/processors/sandbox/processor.ts'
import { openTestDb, type TestDb } from '../database/db.ts'
import type { ContractFixture } from './contract.ts'

export interface SandboxFixture extends ContractFixture {
  processor: SandboxProcessor
  database: TestDb
}

/** The sandbox processor over a database of its own, without a service; `webhookUrl` gets its events. */
export async function openSandboxFixture(webhookUrl = 'http://127.0.0.1:9'): Promise<SandboxFixture> {
  const database = await openTestDb()
  const { db, clock } = database
  const log = createLog('silent')
  const processor = new SandboxProcessor({
    db,
    clock,
    log,
    secret: async () => 'whsec_of_the_fixture',
    publicUrl: 'http://pages.example',
    webhookUrl,
  })
  const timers = new Timers(db, clock, log)
  timers.add(...processor.timers())
  const advance = async (ms: number) => {
    const target = clock.offsetMs + ms
    // Asked from before the run: a task that comes due between the run and the question is not passed over.
    let asked = clock.now()
    await timers.runDue()
    for (let due = await timers.nextDue(asked); due && due.getTime() <= Date.now() + target;) {
      clock.setOffset(Math.max(clock.offsetMs, due.getTime() - Date.now()))
      asked = clock.now()
      await timers.runDue()
      due = await timers.nextDue(asked)
    }
    clock.setOffset(target)
    await processor.notifier.idle()
  }
  return {
    processor,
    database,
    now: () => clock.now(),
    advance,
    payCheckout: (checkoutId, cardNumber) => processor.payCheckout(checkoutId, cardNumber),
    onboard: async (accountId, accountNumber) => {
      const urls = { returnUrl: 'https://example.com/done', refreshUrl: 'https://example.com/again' }
      const { url } = await processor.accounts.onboardingLink(accountId, urls)
      const linkId = new URL(url).pathname.split('/').at(-1) ?? ''
      await processor.completeOnboarding(linkId, { accountNumber, idNumber: '000000000' })
    },
    openDispute: async processorId => (await processor.openDispute(processorId)).disputeId,
    disputeOf: async processorId => {
      const { rows } = await db.pool.query<{ id: string }>(
        "select id from platform_processor_object where kind = 'dispute' and idempotency_key = $1",
        [processorId],
      )
      return rows[0]?.id ?? ''
    },
    closeDispute: async (disputeId, state) => {
      await processor.closeDispute(disputeId, state)
    },
    cutOff: kind => processor.break({ kind, count: 1 }),
    close: async () => {
      await processor.notifier.stop()
      await database.close()
    },
  }
}
