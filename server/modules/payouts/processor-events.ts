import type { ProcessorHint } from '#payments'
import { isId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { isRecord } from '#platform/kernel/unknown'
import { refreshAccount } from './account/account.ts'
import { accountAtProcessor } from './account/sql.ts'
import { pursueSent } from './payout/pursue.ts'

/** An event of a connected account: its state is read from the processor. */
export const refreshAccountOfEvent =
  (services: Services) =>
  async (_: unknown, { object }: ProcessorHint): Promise<string> => {
    const row = await services.db.maybe(accountAtProcessor(String(object.id)))
    if (!row) return 'unmatched'
    await refreshAccount(services, row.id)
    return 'booked'
  }

/** An event of a transfer or a payout: the payout that it names is read from the processor, and what it says is booked. */
export const pursuePayoutOfEvent =
  (services: Services) =>
  async (_: unknown, { object }: ProcessorHint): Promise<string> => {
    const { payoutId } = metadataOf(object)
    if (typeof payoutId !== 'string' || !isId(payoutId)) return 'unmatched'
    return pursueSent(services, payoutId)
  }

const metadataOf = ({ metadata }: Record<string, unknown>): Record<string, unknown> =>
  isRecord(metadata) ? metadata : {}
