import { agentErasure } from '#agents'
import type { Tx } from '#platform/kernel/db'
import { part, sql } from '#platform/kernel/sql'

const REMOVED = '[removed]'

/**
 * Erases what an account's requests for payment, and other requests to its agents, contain beside amounts, states and what
 * is public on the chain.
 */
export async function eraseX402PaymentsOf(tx: Tx, accountId: string): Promise<void> {
  const agentIds = await agentErasure.agentIdsOf(tx, accountId)
  const erased = part`account_id = ${accountId} or agent_id = any(${agentIds}::uuid[])`
  await tx.run(sql`update x402_payment set description = ${REMOVED} where ${erased}`)
  await tx.run(eraseUnpaidAddresses(agentIds, tx.now))
  await tx.run(sql`
    update x402_payment set buyer_address = null, payment_identifier = null where account_id = ${accountId}`)
  // What was signed is erased when its payment ends; until then it may be sent again. A signature that was never used is
  // not on the chain.
  await tx.run(sql`
    update x402_authorization a set payload = payload - 'resource' - 'extensions',
      signature = case (select status from x402_payment p where p.id = a.payment_id) when 'FAILED' then ${REMOVED} else signature end,
      requirements = requirements || case when requirements ? 'description'
        then jsonb_build_object('description', ${REMOVED}::text) else '{}' end
    where payment_id in (select id from x402_payment where ${erased})`)
}

/** The addresses of its own that nobody paid an agent at. These requests end: there is no address to pay to any more. */
const eraseUnpaidAddresses = (agentIds: readonly string[], now: Date) => sql`
  update x402_payment p set pay_to = ${REMOVED}, expires_at = least(expires_at, ${now}), watch_until = least(watch_until, ${now})
  where holder = 'PROVIDED' and agent_id = any(${agentIds}::uuid[]) and transfer_id is null
    and not exists (select from x402_authorization a where a.payment_id = p.id)`

/** Erases where transfers that failed for good should have gone: nothing of them is on the chain. */
export async function eraseFailedSendings(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update x402_sending set to_address = ${REMOVED} where id = any(${ids}::uuid[]) and status = 'FAILED'`)
}
