import { Type } from '#platform/http/type'
import { Currency, Id, Moment, Money, named } from '#platform/http/schema'

const Terms = named(
  'DealTerms',
  Type.Object(
    {
      type: Type.Enum(['deal-terms'], { description: 'Kind of the document' }),
      version: Type.Integer({ minimum: 1, description: 'Version of its form' }),
      negotiationId: { ...Id, description: 'Id of the deal' },
      escrowId: { ...Id, description: 'Id of the escrow' },
      fundedAt: { ...Moment, description: 'When the escrow was funded' },
      requestedService: Type.String({ maxLength: 5000, description: 'What is bought' }),
      price: { ...Money, description: 'Agreed price in `currency`' },
      currency: Currency,
      feeBps: Type.Integer({ minimum: 0, maximum: 10_000, description: 'Marketplace fee in basis points' }),
      deliverBy: { ...Moment, description: 'Until when the seller delivers' },
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
    terms: { ...Terms, description: 'What was agreed' },
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the canonical JSON (RFC 8785) of `terms`, in hexadecimal',
    }),
    jws: Type.String({
      examples: ['eyJhbGciOiJFZERTQSJ9.e30.c2ln'],
      description: 'Signature of the service over the terms; keys in `/.well-known/jwks.json`',
    }),
  }),
)
