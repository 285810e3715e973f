import { erasure, requireStepUp, serviceAccounts } from '#identity'
import { SCOPES, type RequestContext, type Scope } from '#platform/http/principal'
import { audit } from '#platform/kernel/audit'
import { after, MINUTE } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { invalid } from '#platform/kernel/errors'
import { newId, randomToken } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { readClient, requireRedirect } from './client.ts'
import { endExpired, hashOf } from './token.ts'
import * as statements from './sql.ts'

const CODE_LIFE = 10 * MINUTE

interface Asked {
  clientId: string
  redirectUri: string
  scope?: string
}
interface Consent extends Asked {
  codeChallenge: string
  state?: string
  resource?: string
  /** In micro-units. */
  spendingLimit: bigint
}

/** What a page shows before the person agrees. Errors: 400 for an unknown client or redirect address. */
export function describeClient(services: Pick<Services, 'secrets'>, { clientId, redirectUri, scope }: Asked) {
  const client = readClient(services, clientId)
  requireRedirect(client, redirectUri)
  return { name: client.name, redirectUri, scopes: scopesOf(scope) }
}

/** All by default. Unknown scopes are left out (RFC 6749, 3.3): the answer of the token says which there are. */
function scopesOf(scope: string | undefined): Scope[] {
  const wanted = scope?.split(' ').filter(Boolean) ?? []
  const known = SCOPES.filter(each => !wanted.length || wanted.includes(each))
  if (!known.length) throw invalid(`scope must have one of ${SCOPES.join(', ')}`)
  return known
}

/**
 * Allows a client to act for the caller, and returns the address with the code. Errors: 400 for a client, redirect
 * address or resource that is unknown, 403 without step-up, because a client outlives the session, 409 if the account
 * has as many service accounts as it may have: the client becomes one.
 */
export async function giveConsent(
  tx: Tx,
  services: Pick<Services, 'secrets' | 'publicUrl'>,
  ctx: RequestContext,
  consent: Consent,
): Promise<{ redirectUrl: string }> {
  const { clientId, redirectUri, codeChallenge, state, resource, spendingLimit } = consent
  const { accountId } = ctx.principal
  const real = tx.clock.real()
  // The account first: what changes a credential meanwhile ends this code too.
  await erasure.lockAgainstDeletion(tx, [accountId])
  await requireStepUp(tx, ctx, real)
  const { name, scopes } = describeClient(services, consent)
  if (resource !== undefined) requireResource(services, resource)
  await tx.run(statements.deleteUnused(accountId, real))
  await endExpired(tx, accountId)
  await serviceAccounts.requireKeyAllowance(tx, accountId)
  const code = randomToken(32)
  const id = newId()
  await tx.run(
    statements.insertGrant({
      id,
      accountId,
      clientHash: hashOf(clientId),
      clientName: name,
      redirectUri,
      codeChallenge,
      scopes,
      spendingLimit,
      codeHash: hashOf(code),
      codeExpiresAt: after(real, CODE_LIFE),
      now: tx.now,
    }),
  )
  await audit(tx, ctx, 'oauth.allowed', { target: ['account', accountId], details: { grantId: id, scopes } })
  const url = new URL(redirectUri)
  url.searchParams.set('code', code)
  if (state !== undefined) url.searchParams.set('state', state)
  // Which server answers (RFC 9207).
  url.searchParams.set('iss', services.publicUrl)
  return { redirectUrl: url.href }
}

/** RFC 8707: what the token is for. */
export function isResource({ publicUrl }: Pick<Services, 'publicUrl'>, resource: string): boolean {
  return [`${publicUrl}/mcp`, publicUrl, `${publicUrl}/`].includes(resource)
}

function requireResource(services: Pick<Services, 'publicUrl'>, resource: string): void {
  if (!isResource(services, resource)) throw invalid(`resource must be ${services.publicUrl}/mcp`)
}
