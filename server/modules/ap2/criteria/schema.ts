import { Type } from '#platform/http/type'
import { named } from '#platform/http/schema'
import { Maybe, MaybeMoment, Words } from '../deal/schema.ts'
import { CRITERIA_MAX, KINDS } from './criterion.ts'
import { RESULT_STATES } from './result.ts'

const Kind = named(
  'CriterionKind',
  Type.Enum([...KINDS], {
    description: 'How the criterion is checked; docs/API.md lists the fields of each kind',
  }),
)

export const AcceptanceCriterion = named(
  'AcceptanceCriterion',
  Type.Object(
    {
      key: Type.String({ maxLength: 255, description: 'Name of the criterion, unique in the deal' }),
      kind: Kind,
      weight: Type.Integer({ minimum: 1, description: 'Its share in a split by criteria' }),
      milestoneKey: Maybe(
        Type.String({ description: 'Milestone that it belongs to; absent for the whole deal' }),
      ),
    },
    { additionalProperties: true, description: 'See /docs/api.md' },
  ),
)

const CriterionResult = named(
  'CriterionResult',
  Type.Object({
    key: Type.String({ maxLength: 255, description: 'Name of the criterion' }),
    kind: Kind,
    status: Type.Enum([...RESULT_STATES], { description: 'Result of the check' }),
    detail: { ...Words, description: 'Why it is not met; null without more' },
    checkedAt: { ...MaybeMoment, description: 'When it was checked; null before' },
  }),
)

/** The example is empty: it would be in that of each deal. */
export const CriterionResults = Type.Array(CriterionResult, { examples: [[]] })

/** In a request. */
export const CriterionKeys = Maybe(
  named(
    'CriterionKeys',
    Type.Array(Type.String({ maxLength: 50 }), {
      maxItems: CRITERIA_MAX,
      description: 'Keys of criteria that are not met',
    }),
  ),
)
