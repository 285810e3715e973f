import { Type } from '#platform/http/type'
import { Currency, Id, Moment, Money, named } from '#platform/http/schema'

const Terms = named(
  'DealTerms',
  Type.Object(
    {
      type: Type.Enum(['deal-terms']),
      version: Type.Integer(),
      negotiationId: Id,
      escrowId: Id,
      fundedAt: Moment,
      requestedService: Type.String(),
      price: Money,
      currency: Currency,
      feeBps: Type.Integer(),
      deliverBy: Moment,
    },
    {
      additionalProperties: true,
      description: 'With parties, requirements, acceptance criteria and milestones',
    },
  ),
)

export const SignedTerms = named(
  'SignedDealTerms',
  Type.Object({
    terms: Terms,
    sha256: Type.String(),
    jws: Type.String({ examples: ['eyJhbGciOiJFZERTQSJ9.e30.c2ln'] }),
  }),
)
