import { Type, type Static } from '#platform/http/type'
import { Id, Moment, named } from '#platform/http/schema'
import { definePort } from '#platform/kernel/ports'
import { Free, MaybeMoment, Words } from '../deal/schema.ts'

/** A run that waits for its agent, as the inbox shows it. */
export const WaitingRunRecord = named(
  'WaitingRun',
  Type.Object({
    id: { ...Id, description: 'Id of the run (UUIDv7)' },
    status: Type.String({ description: 'RUNNING from the moment when the agent fetched it' }),
    input: Free('Fits the inputSchema of the agent'),
    jobReference: { ...Words, description: 'Reference that the buyer gave it; null without one' },
    price: Type.Number({ minimum: 0, description: 'Price in `currency` (dollars)' }),
    currency: Type.String({ description: 'Currency of the price' }),
    deadline: { ...MaybeMoment, description: 'Until when the result is accepted; null without a deadline' },
    resultUrl: Type.String({ description: 'Where the agent reports the result' }),
    createdAt: Moment,
  }),
)
export type WaitingRun = Static<typeof WaitingRunRecord>

/** The runs that an agent has to work on. With `take` the agent itself asks: it has them from now on. */
export const waitingRuns = definePort<{ agentId: string; take: boolean }, WaitingRun[]>(
  'ap2.waiting-runs',
  'collect',
)
