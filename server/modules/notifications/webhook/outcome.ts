import { agentById } from '#agents'
import { accountById } from '#identity'
import type { EgressRefused } from '#platform/adapters/egress/dialer'
import type { FetchFailed } from '#platform/adapters/egress/fetch'
import { letter } from '#platform/adapters/mail/letter'
import { sendMail } from '#platform/adapters/mail/mail'
import { after } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { transition } from '#platform/kernel/machine'
import type { Services } from '#platform/kernel/services'
import { deliveryMachine, pauseAfter } from './delivery-machine.ts'
import * as statements from './sql.ts'

/** How an attempt ended; `error` has no text of the receiver. */
export interface Outcome {
  isOk: boolean
  status: number | null
  error: string | null
  /** Kind of the error where there was no answer. */
  code?: FetchFailed['code'] | EgressRefused['code']
}

/** Records an attempt. After the last one that failed the delivery is given up, and an endpoint that took nothing is disabled. */
export const recordOutcome = (
  services: Services,
  { id, agentId }: { id: string; agentId: string },
  { isOk, ...attempt }: Outcome,
): Promise<void> =>
  services.db.transaction(async tx => {
    // The endpoint first, as everybody does who changes it and then its deliveries.
    const endpoint = await tx.maybe(statements.lockEndpoint(agentId))
    const delivery = await tx.maybe(statements.lockDelivery(id))
    if (!endpoint || delivery?.status !== 'PENDING') return
    const attempts = delivery.attempts + 1
    const pause = pauseAfter(attempts)
    const event = isOk ? 'succeed' : pause === null ? 'give_up' : 'retry'
    await transition(tx, deliveryMachine, delivery, {
      event,
      by: 'sender',
      details: { ...attempt },
      set: {
        attempts,
        leasedUntil: null,
        nextAttemptAt: event === 'retry' ? after(tx.now, pause ?? 0) : null,
        endedAt: event === 'retry' ? null : tx.now,
      },
    })
    await tx.run(
      event === 'succeed' ? statements.recordSuccess(agentId, tx.now) : statements.recordFailure(agentId),
    )
    // One that takes other events in the meantime is not broken.
    const { lastSuccessAt } = endpoint
    if (event === 'give_up' && (lastSuccessAt === null || lastSuccessAt < delivery.createdAt))
      await disable(tx, services, endpoint)
  })

async function disable(tx: Tx, services: Services, { agentId, url }: statements.EndpointRow): Promise<void> {
  await tx.run(statements.disableEndpoint(agentId, tx.now))
  await tx.run(statements.cancelDeliveries(agentId, { actor: 'sender', actorId: null }, tx.now))
  const agent = await agentById(tx, agentId)
  const owner = agent && (await accountById(tx, agent.ownerId))
  if (!agent || !owner?.email || owner.status !== 'ACTIVE') return
  const { host } = new URL(url)
  await sendMail(
    services,
    tx,
    owner.id,
    letter({
      to: owner.email,
      subject: 'A webhook was disabled',
      paragraphs: [
        `The webhook of your agent ${agent.slug} was disabled: ${host} accepted nothing for a day.`,
        'Set it again when it works. Nothing is lost: the stream of events sends what was missed.',
      ],
      link: { text: 'Open the webhook', url: `${services.publicUrl}/app/selling/agents/${agentId}/webhook` },
      details: [
        `For programs: PUT ${services.publicUrl}/agents/${agentId}/webhook, GET ${services.publicUrl}/agents/${agentId}/events`,
      ],
    }),
  )
}
