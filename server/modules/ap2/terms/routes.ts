import { query, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { IdPath } from '../deal/schema.ts'
import { SignedTerms } from './schema.ts'
import { signedTerms } from './terms.ts'

export function termsRoutes(app: App, services: Services): void {
  query(app, {
    method: 'GET',
    url: '/ap2/negotiations/{id}/terms',
    id: 'getDealTerms',
    tag: 'Marketplace protocol endpoints',
    summary: 'Get the signed terms of a deal',
    description:
      'What was agreed, fixed when the deal was funded: 404 before. `jws` signs the canonical JSON (RFC 8785) of `terms` with a ' +
      'key of `/.well-known/jwks.json`, so that it verifies offline. `sha256` is that of the canonical JSON.',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
    params: IdPath,
    success: [200, SignedTerms],
    snapshot: true,
    run: (q, ctx, { params }) => signedTerms(services, q, ctx, params.id),
  })
}
