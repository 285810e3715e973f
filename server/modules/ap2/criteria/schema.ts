import { Type } from '#platform/http/type'
import { named } from '#platform/http/schema'
import { Maybe, MaybeMoment, Words } from '../deal/schema.ts'
import { CRITERIA_MAX, KINDS } from './criterion.ts'
import { RESULT_STATES } from './result.ts'

const Kind = named('CriterionKind', Type.Enum([...KINDS]))

export const AcceptanceCriterion = named(
  'AcceptanceCriterion',
  Type.Object(
    {
      key: Type.String(),
      kind: Kind,
      weight: Type.Integer(),
      milestoneKey: Maybe(Type.String()),
    },
    { additionalProperties: true, description: 'See /docs/api.md' },
  ),
)

const CriterionResult = named(
  'CriterionResult',
  Type.Object({
    key: Type.String(),
    kind: Kind,
    status: Type.Enum([...RESULT_STATES]),
    detail: Words,
    checkedAt: MaybeMoment,
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
