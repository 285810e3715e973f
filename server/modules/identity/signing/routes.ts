import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { respond } from '#platform/http/response'
import { Moment } from '#platform/http/schema'
import { audit } from '#platform/kernel/audit'
import type { Services } from '#platform/kernel/services'
import { tokensOf } from '../credentials/token.ts'
import { requireStepUp } from '../mfa/step-up.ts'
import { addKey, documentKeysOf } from './document-keys.ts'

/** The public keys, and the rotation of those that sign documents. */
export function signingRoutes(app: App, services: Services): void {
  const documents = documentKeysOf(services)
  query(app, {
    method: 'GET',
    url: '/.well-known/jwks.json',
    id: 'getJwks',
    tag: 'Authentication',
    summary: 'Get the public keys of access tokens and documents',
    access: 'public',
    skipGeneralLimits: true,
    databaseFree: true,
    success: [
      200,
      Type.Object({
        keys: Type.Array(Type.Record(Type.String(), Type.String()), {
          description: 'Public keys of access tokens and of signed documents, as JWKs (RFC 7517)',
        }),
      }),
    ],
    run: async () => {
      const { jwks } = await tokensOf(services)
      return respond(
        { keys: [...jwks.keys, ...documents.published(services.clock.now())] },
        { headers: { 'cache-control': 'public, max-age=300' } },
      )
    },
  })
  command(app, {
    method: 'POST',
    url: '/admin/signing-keys/rotate',
    id: 'rotateSigningKey',
    tag: 'Admin',
    summary: 'Rotate the key that signs documents',
    access: { accept: ['jwt'], role: 'ADMIN' },
    success: [
      200,
      Type.Object({
        signsFrom: { ...Moment, description: 'When the service begins to sign with the new key' },
      }),
    ],
    run: async (tx, ctx) => {
      await requireStepUp(tx, ctx, tx.clock.real())
      const { number, signsFrom } = await addKey(tx)
      await audit(tx, ctx, 'signing_key.rotated', { details: { number } })
      tx.afterCommit(() => {
        documents.refresh().catch((error: unknown) => services.log.error({ err: error }, 'keys not read'))
      })
      return { signsFrom: signsFrom.toISOString() }
    },
  })
}
