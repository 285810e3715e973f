import { Type } from '#platform/http/type'
import { Id, Moment, named, Nullable } from '#platform/http/schema'
import { DIFFERENCE_KINDS } from './port.ts'

const OurId = Nullable(
  Type.String({ minLength: 1, description: 'Id in this service; null if it is missing here' }),
)

export const DifferenceRecord = named(
  'ReconciliationDifference',
  Type.Object({
    rail: Type.String({ minLength: 1, description: 'How the money moved', examples: ['card'] }),
    kind: Type.Enum([...DIFFERENCE_KINDS], { description: 'What differs' }),
    subject: Type.String({ minLength: 1, description: 'What it is about', examples: ['payment'] }),
    externalId: Nullable(
      Type.String({ minLength: 1, description: 'Id at the processor or on the chain', examples: ['pi_1'] }),
    ),
    ourId: OurId,
    expected: Nullable(
      Type.String({ minLength: 1, description: 'What the outside list says', examples: ['30.00 USD'] }),
    ),
    actual: Nullable(
      Type.String({ minLength: 1, description: 'What the ledger says', examples: ['PENDING'] }),
    ),
    note: Type.String({
      minLength: 1,
      description: 'What was done about it, or what an operator has to do',
      examples: ['It was read again and booked'],
    }),
    open: Type.Boolean({ description: 'Whether an operator has to do something' }),
  }),
)

/** How many a list shows of each report. */
export const LISTED_DIFFERENCES = 50

export const ReconciliationRecord = named(
  'ReconciliationReport',
  Type.Object({
    id: Id,
    from: { ...Moment, description: 'Start of the period', examples: ['2026-01-11T08:30:00.000Z'] },
    to: {
      ...Moment,
      description: 'End of the period, which is not part of it',
      examples: ['2026-01-12T08:30:00.000Z'],
    },
    trigger: Type.Enum(['DAILY', 'ADMIN', 'COMMAND'], {
      description: 'What started it: the timer, an admin or the command line',
    }),
    compared: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'How many movements and records were compared, by rail',
    }),
    open: Type.Integer({ minimum: 0, description: 'Differences that need an operator' }),
    finishedAt: Moment,
    differencesTotal: Type.Integer({ minimum: 0, description: 'How many differences there are' }),
    differences: Type.Array(DifferenceRecord, {
      description: `What differs; empty if nothing does. A list of reports shows at most ${LISTED_DIFFERENCES} of each, those that need an operator first; \`GET /admin/reconciliation/{id}\` shows all`,
    }),
  }),
)

export const RunBody = Type.Object({
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'By default a day before `to`',
      examples: ['2026-01-11T08:30:00.000Z'],
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'By default now',
      examples: ['2026-01-12T08:30:00.000Z'],
    }),
  ),
})
