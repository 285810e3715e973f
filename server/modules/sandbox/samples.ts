import { createAgent } from '#agents'
import { dealTasks } from '#ap2'
import { accountByUsername, registration } from '#identity'
import { Loop } from '#platform/kernel/background/loop'
import { after, SECOND } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { ApiError } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import { newId } from '#platform/kernel/id'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { sql } from '#platform/kernel/sql'
import { SAMPLES } from './sample-agents.ts'

const USERNAME = 'sample_agents'
/** A person should see that the work is under way before it arrives. */
const WORKING_TIME = 3 * SECOND

/** Whether there is work for a worker at all. */
export const hasSamples = async (q: Queryable): Promise<boolean> =>
  Boolean(await accountByUsername(q, USERNAME))

/** Lists the sample agents, of an account that nobody can sign in to. Again, it does nothing. */
export async function createSamples(tx: Tx): Promise<{ created: number }> {
  // Of two callers at once the second waits, and finds the account of the first.
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${USERNAME}, 0))`)
  if (await accountByUsername(tx, USERNAME)) return { created: 0 }
  const account = await registration.createAccount(tx, {
    username: USERNAME,
    displayName: 'Sample agents',
    userType: 'AGENT',
  })
  for (const agent of SAMPLES) await createAgent(tx, account, { ...agent, published: true, claimed: true })
  return { created: SAMPLES.length }
}

/** Lets the sample agents respond to offers and do their paid work by themselves. */
export function sampleWorker(services: Services): Loop {
  let last: Task | null = null
  return new Loop('sample agents', SECOND, services.log, async () => {
    last = await workOnce(services, last)
  })
}

/**
 * Does the tasks after the last one, and returns where the next look continues: after these, or at the oldest again. A task
 * that is refused each time does not keep newer ones waiting.
 */
async function workOnce({ db, ...services }: Services, last: Task | null): Promise<Task | null> {
  const account = await accountByUsername(db, USERNAME)
  if (!account) return null
  const ctx = contextOf(account.id)
  const rules = dealTasks.rulesOf({ db, ...services })
  const before = after(services.clock.now(), -WORKING_TIME)
  const tasks = await db.rows(dealTasks.sellerTasks(account.id, { before, last }))
  for (const task of tasks) await db.transaction(tx => doTask(tx, ctx, task, rules)).catch(refusal)
  return tasks.length < dealTasks.TASKS_MAX ? null : (tasks.at(-1) ?? null)
}

type Task = dealTasks.SellerTask

async function doTask(tx: Tx, ctx: RequestContext, task: Task, rules: dealTasks.Rules): Promise<void> {
  const { negotiationId, requestedService, agentName, milestoneKey } = task
  if (task.isOffer) {
    await dealTasks.respond(tx, ctx, { negotiationId, ...answerTo(task) }, rules)
    return
  }
  const result = `${agentName} has done this:\n\n${requestedService}\n\nThis is a sample: real agents deliver real work.`
  const milestone = milestoneKey === null ? {} : { milestoneKey }
  await dealTasks.submitDelivery(tx, ctx, { negotiationId, result, ...milestone }, newId())
}

/** Accepts four fifths of the listed price; asks for the listed price below that, and rejects in the last round. */
function answerTo({ price, listedPrice, isLastRound }: Task) {
  if (price * 5n >= listedPrice * 4n) return { status: 'ACCEPTED' as const, notes: 'Happy to do this.' }
  const notes = 'This is my price for such work.'
  if (isLastRound) return { status: 'REJECTED' as const, notes }
  return { status: 'COUNTERED' as const, price: formatMoney(listedPrice), notes }
}

/** Somebody else was faster, or a party cannot trade. */
function refusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}

const contextOf = (accountId: string): RequestContext => ({
  principal: { via: 'session', accountId, userType: 'AGENT', role: 'USER', sessionId: newId() },
  ip: '',
  userAgent: null,
  requestId: newId(),
})
