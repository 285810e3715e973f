import { Type } from '#platform/http/type'
import { Moment, Money, named, Nullable } from '#platform/http/schema'
import { OPEN_WORK, type OpenWork } from './ports.ts'

const Count = Type.Integer({ examples: [3] })
const MaybeMoment = Nullable(Moment)

export const OverviewQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 90, description: 'How many days, today included; 30 by default' }),
  ),
})

// The compiler checks that each kind is there.
const counts = Object.fromEntries(OPEN_WORK.map(kind => [kind, Count])) as Record<OpenWork, typeof Count>

export const Overview = named(
  'AdminOverview',
  Type.Object({
    asOf: Moment,
    days: Type.Array(
      Type.Object({
        day: Type.String({ description: 'UTC', examples: ['2026-01-12'] }),
        deals: Type.Integer({ description: 'Escrows that were funded', examples: [12] }),
        volume: { ...Money, description: 'What these escrows hold in all currencies; no test credit' },
        fees: { ...Money, description: 'Marketplace fees of the escrows that ended on this day' },
        signUps: Type.Integer({ examples: [4] }),
      }),
      { description: 'Oldest first, each day once' },
    ),
    openWork: Type.Object(counts, { description: 'What waits for an operator' }),
  }),
)

export const SettingList = named(
  'AdminSettings',
  Type.Object({
    items: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['RATE_LIMIT_IP_PER_MIN'] }),
        value: Nullable(
          Type.String({
            description: 'In force; null where it is a secret or has no value',
            examples: ['600'],
          }),
        ),
        isSecret: Type.Boolean({ examples: [false] }),
        isSet: Type.Boolean({ description: 'Whether it has a value', examples: [true] }),
        isDefault: Type.Boolean({ examples: [false] }),
        description: Type.String({ examples: ['Requests per minute and address'] }),
      }),
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
        name: Type.String({ examples: ['escrow delivery deadline'] }),
        nextDueAt: { ...MaybeMoment, description: 'The earliest deadline; null if nothing waits' },
        isLate: Type.Boolean({
          description: 'Whether that deadline passed more than a minute ago',
          examples: [false],
        }),
      }),
    ),
    jobs: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['identity.mail'] }),
        waiting: Count,
        active: Count,
        failed: Type.Integer({ description: 'Put aside after all tries', examples: [0] }),
      }),
    ),
    tasks: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['ledger check'] }),
        dueAt: Moment,
        finishedAt: MaybeMoment,
        isRunning: Type.Boolean({ examples: [false] }),
        figures: Type.Record(Type.String(), Type.Number(), {
          description: 'What the last run found, by the names of `/metrics`',
          examples: [{ svc_ledger_check_ok: 1, svc_ledger_findings: 0 }],
        }),
      }),
    ),
  }),
)
