import { SECOND } from '#platform/kernel/clock'
import { Loop } from '#platform/kernel/background/loop'
import { runIfDue } from '#platform/kernel/background/task'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'
import { hasChain } from './chain/open.ts'
import { ChainAway } from './chain/port.ts'
import { attemptSettlement } from './payment/settle.ts'
import * as payments from './payment/sql.ts'
import { advanceSending } from './sending/send.ts'
import * as sendings from './sending/sql.ts'
import { readChain } from './watch/look.ts'
import { advanceReturns } from './watch/returns.ts'

const EVERY_MS = SECOND

/** Whether the chain is worth asking: a payment, a transfer or a payout waits for it. */
const hasWork = (now: Date) => sql<{ waits: boolean }>`
  select exists (select from x402_payment where watch_until > ${now}) or exists (select from x402_transfer where status = 'SEEN')
    or exists (select from x402_transfer where resolution = 'RETURNING') or exists (select from x402_sending where retry_at is not null) as waits`

/**
 * The repetitions of what waits for the chain, on one instance at a time. In real time, by which blocks come; the chain is
 * not asked while nothing waits for it.
 */
export const chainLoop = (services: Services): Loop =>
  new Loop('x402', EVERY_MS, services.log, async () => {
    if (!hasChain(services)) return
    const { waits } = await services.db.one(hasWork(services.clock.now()))
    if (waits)
      await runIfDue(services.db, services.log, {
        name: 'x402.chain',
        everyMs: EVERY_MS,
        run: () => workOnce(services),
      })
  })

/** One round: what is due to be settled or sent, then what the chain says. */
export async function workOnce(services: Services): Promise<void> {
  const { db, clock, log } = services
  try {
    for (const { id } of await db.rows(payments.dueAuthorizations(clock.real())))
      await attemptSettlement(services, id)
    for (const { id } of await db.rows(sendings.dueSendings(clock.real()))) await advanceSending(services, id)
    await readChain(services)
    await advanceReturns(services)
  } catch (error) {
    if (!(error instanceof ChainAway)) throw error
    log.warn({ err: error }, 'x402: the chain does not answer, it will be asked again')
  }
}
