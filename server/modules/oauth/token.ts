import { createHash } from 'node:crypto'
import { erasure, serviceAccounts } from '#identity'
import type { Scope } from '#platform/http/principal'
import { after, DAY, HOUR, MINUTE, SECOND } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { OAuthError } from './errors.ts'
import { grantIdOf, makeRefreshToken } from './refresh-token.ts'
import * as statements from './sql.ts'
import type { Grant } from './sql.ts'

const ACCESS_LIFE = HOUR
const REFRESH_LIFE = 30 * DAY
/** However often it is renewed; sessions end then too. */
const GRANT_LIFE = 90 * DAY
/** Two requests of one client may refresh at once: the later one has to sign in again, and ends nothing. */
const RACE = MINUTE

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The response of the token endpoint (RFC 6749, 5.1). The access token is an `sk_` key that ends by itself. */
interface Tokens {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

const refused = (why: string) => new OAuthError('invalid_grant', why)

/** Tokens for a code, which works once: a second use ends what the first one got. */
export async function exchangeCode(
  tx: Tx,
  services: Pick<Services, 'jobs' | 'secrets'>,
  given: { clientId: string; code: string; verifier: string; redirectUri: string | undefined },
): Promise<Tokens | OAuthError> {
  const grant = await lockGrantOf(tx, given.code)
  if (!grant || !isOf(grant, given.clientId)) return refused('The code is unknown')
  if (grant.serviceAccountId) {
    await end(tx, grant)
    return refused('The code was used before: its tokens have ended')
  }
  if (grant.codeExpiresAt <= tx.clock.real()) return refused('The code has expired')
  if (given.redirectUri !== undefined && given.redirectUri !== grant.redirectUri)
    return refused('redirect_uri is not the one of the authorization')
  if (hashOf(given.verifier).toString('base64url') !== grant.codeChallenge)
    return refused('code_verifier does not fit the code_challenge')
  const { accountId, clientName, scopes, spendingLimit } = grant
  const made = await serviceAccounts.createTemporary(
    tx,
    services,
    {
      accountId,
      name: clientName,
      description: 'Connected by OAuth',
      scopes,
      spendingLimit,
      renewableUntil: endOf(grant),
    },
    after(tx.now, ACCESS_LIFE),
  )
  if (!made) return refused('The account has the most service accounts: its person has to revoke one')
  return save(tx, services, grant, { ...made, scopes, lifeMs: ACCESS_LIFE })
}

/** New tokens for a refresh token, which works once: the use of an earlier one ends the grant. */
export async function refresh(
  tx: Tx,
  services: Pick<Services, 'secrets'>,
  { clientId, refreshToken }: { clientId: string; refreshToken: string },
): Promise<Tokens | OAuthError> {
  const grant = await lockGrantOf(tx, refreshToken, grantIdOf(services, refreshToken))
  if (!grant?.serviceAccountId || !grant.refreshedAt || !isOf(grant, clientId))
    return refused('The refresh token is unknown')
  const age = tx.clock.real().getTime() - grant.refreshedAt.getTime()
  const hash = hashOf(refreshToken)
  if (!grant.refreshHash?.equals(hash)) {
    const isRace = grant.previousHash?.equals(hash) === true && age <= RACE
    if (!isRace) await end(tx, grant)
    return refused('The refresh token was used before')
  }
  const { serviceAccountId } = grant
  const lifeMs = Math.min(ACCESS_LIFE, endOf(grant).getTime() - tx.clock.real().getTime())
  const renewed =
    age > REFRESH_LIFE || lifeMs < SECOND
      ? null
      : await serviceAccounts.renewTemporary(tx, serviceAccountId, after(tx.now, lifeMs))
  if (renewed) return save(tx, services, grant, { serviceAccountId, ...renewed, lifeMs })
  await end(tx, grant)
  return refused('The authorization has ended')
}

/** In the order in which all lock: the account first. `id`: the grant that the secret names itself. */
async function lockGrantOf(tx: Tx, secret: string, id: string | null = null): Promise<Grant | undefined> {
  const found = await tx.maybe(statements.grantOf(hashOf(secret), id))
  if (!found) return undefined
  const status = await erasure.lockAgainstDeletion(tx, [found.accountId])
  return status.get(found.accountId) === 'ACTIVE' ? tx.maybe(statements.lockGrant(found.id)) : undefined
}

/** In real time, as sessions end: the sandbox clock moves it as little as a later `expiresAt` of the service account does. */
const endOf = ({ codeExpiresAt }: Grant): Date => after(codeExpiresAt, GRANT_LIFE)

const isOf = (grant: Grant, clientId: string): boolean => grant.clientHash.equals(hashOf(clientId))

async function save(
  tx: Tx,
  services: Pick<Services, 'secrets'>,
  grant: Grant,
  {
    serviceAccountId,
    apiKey,
    scopes,
    lifeMs,
  }: { serviceAccountId: string; apiKey: string; scopes: readonly Scope[]; lifeMs: number },
): Promise<Tokens> {
  const refreshToken = makeRefreshToken(services, grant.id)
  await tx.run(
    statements.setTokens(grant.id, {
      serviceAccountId,
      refreshHash: hashOf(refreshToken),
      previousHash: grant.refreshHash,
      real: tx.clock.real(),
    }),
  )
  return {
    access_token: apiKey,
    token_type: 'Bearer',
    expires_in: Math.floor(lifeMs / SECOND),
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  }
}

async function end(
  tx: Tx,
  { id, accountId, serviceAccountId }: Pick<Grant, 'id' | 'accountId' | 'serviceAccountId'>,
): Promise<void> {
  if (serviceAccountId) await serviceAccounts.endTemporary(tx, { accountId, serviceAccountId })
  await tx.run(statements.deleteGrant(id))
}

/** Ends what the clients of an account can renew no more: it would count as service accounts of the account. */
export async function endExpired(tx: Tx, accountId: string): Promise<void> {
  const real = tx.clock.real()
  const limits = { refreshed: after(real, -REFRESH_LIFE), given: after(real, -GRANT_LIFE) }
  for (const grant of await tx.rows(statements.lockExpired(accountId, limits))) await end(tx, grant)
}

/** Subscriber of `links.ended`: a code that was given under another credential is not exchanged any more. */
export async function endCodesOf(tx: Tx, { accountId }: { accountId: string }): Promise<void> {
  await tx.run(statements.deleteCodesOf(accountId))
}

/** For the deletion of an account, whose keys end with it. */
export const eraseGrantsOf = async (tx: Tx, accountId: string): Promise<void> => {
  await tx.run(statements.deleteGrantsOf(accountId))
}
