import { Type } from '#platform/http/type'
import { Count, Moment, Money, named, Nullable } from '#platform/http/schema'
import { OPEN_WORK, type OpenWork } from './ports.ts'

const EXAMPLE = { examples: [3] }
const MaybeMoment = Nullable(Moment)

export const OverviewQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 90, description: 'How many days, today included; 30 by default' }),
  ),
})

const WORK: Record<OpenWork, string> = {
  agentReviews: 'Agents in review',
  approvals: 'Approvals that wait for a decision',
  disputes: 'Open disputes of deals',
  frozenEscrows: 'Frozen escrows',
  suspense: 'Payments that match nothing',
  chargebacks: 'Chargebacks that need evidence',
  transfers: 'Chain transfers that match nothing',
  unclaimed: 'Wallets with unclaimed funds',
  payouts: 'Payouts in review',
  affiliateReviews: 'Affiliates in review',
  fraudHolds: 'Commissions held for suspected fraud',
  differences: 'Differences of the last reconciliation',
}
// The compiler checks that each kind is there.
const counts = Object.fromEntries(OPEN_WORK.map(kind => [kind, Count(WORK[kind], EXAMPLE)])) as Record<
  OpenWork,
  ReturnType<typeof Count>
>

export const Overview = named(
  'AdminOverview',
  Type.Object({
    asOf: { ...Moment, description: 'When the figures were read' },
    days: Type.Array(
      Type.Object({
        day: Type.String({ description: 'UTC, ISO 8601', examples: ['2026-01-12'], format: 'date' }),
        deals: Type.Integer({
          description: 'Escrows that were funded on this day',
          examples: [12],
          minimum: 0,
        }),
        volume: { ...Money, description: 'What these escrows hold in all currencies; no test credit' },
        fees: { ...Money, description: 'Marketplace fees of the escrows that ended on this day' },
        signUps: Type.Integer({
          examples: [4],
          minimum: 0,
          description: 'Accounts that were registered on this day',
        }),
      }),
      { minItems: 1, maxItems: 90, description: 'Oldest first, each day once' },
    ),
    openWork: Type.Object(counts, { description: 'What waits for an operator' }),
  }),
)

export const SettingList = named(
  'AdminSettings',
  Type.Object({
    items: Type.Array(
      Type.Object({
        name: Type.String({
          maxLength: 200,
          examples: ['RATE_LIMIT_IP_PER_MIN'],
          description: 'Name of the environment variable',
        }),
        value: Nullable(
          Type.String({
            description: 'In force; null where it is a secret or has no value',
            examples: ['600'],
          }),
        ),
        isSecret: Type.Boolean({ examples: [false], description: 'Whether its value is never shown' }),
        isSet: Type.Boolean({ description: 'Whether it has a value', examples: [true] }),
        isDefault: Type.Boolean({ examples: [false], description: 'Whether the default is in force' }),
        description: Type.String({
          examples: ['Requests per minute and address'],
          description: 'What the setting does',
        }),
      }),
      { description: 'All settings, by name' },
    ),
  }),
)

export const BackgroundWork = named(
  'BackgroundWork',
  Type.Object({
    now: { ...Moment, description: 'Real time' },
    businessTime: { ...Moment, description: 'The time of deals and deadlines; ahead only in a sandbox' },
    timers: Type.Array(
      Type.Object({
        name: Type.String({
          maxLength: 200,
          examples: ['escrow delivery deadline'],
          description: 'Name of the timer',
        }),
        nextDueAt: { ...MaybeMoment, description: 'The earliest deadline; null if nothing waits' },
        isLate: Type.Boolean({
          description: 'Whether that deadline passed more than a minute ago',
          examples: [false],
        }),
      }),
      { description: 'Deadlines that the service watches, one row for each kind' },
    ),
    jobs: Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 200, examples: ['identity.mail'], description: 'Name of the queue' }),
        waiting: Count('Jobs that wait for a worker or for their next try', EXAMPLE),
        active: Count('Jobs that run now', EXAMPLE),
        failed: Type.Integer({
          description: 'Jobs that failed at all tries and were put aside',
          examples: [0],
          minimum: 0,
        }),
      }),
      { description: 'Queues of background jobs' },
    ),
    tasks: Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 200, examples: ['ledger check'], description: 'Name of the task' }),
        dueAt: { ...Moment, description: 'When it runs next' },
        finishedAt: { ...MaybeMoment, description: 'When it finished last; null before the first time' },
        isRunning: Type.Boolean({ examples: [false], description: 'Whether an instance runs it now' }),
        figures: Type.Record(Type.String(), Type.Number(), {
          description: 'What the last run found, by the names of `/metrics`',
          examples: [{ svc_ledger_check_ok: 1, svc_ledger_findings: 0 }],
        }),
      }),
      { description: 'Repeated tasks, each of which one instance runs at a time' },
    ),
  }),
)
