import { after } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { publish } from '#platform/kernel/events'
import { randomToken } from '#platform/kernel/id'
import { IDENTITY } from '../errors.ts'
import { linksEnded } from '../events.ts'
import { hashOfToken } from '../credentials/session.ts'
import * as statements from './sql.ts'

export type LinkPurpose = 'setup' | 'reset' | 'magic' | 'verify'

export interface NewLink {
  purpose: LinkPurpose
  accountId?: string
  lifeMs: number
  details?: Record<string, unknown>
}

/** A token (192 bits) for a link that works once; stored hashed. */
export async function makeLink(
  tx: Tx,
  { purpose, accountId, lifeMs, details = {} }: NewLink,
): Promise<string> {
  const token = randomToken()
  const real = tx.clock.real()
  await tx.run(
    statements.insertLink({
      hash: hashOfToken(token),
      purpose,
      accountId: accountId ?? null,
      details,
      real,
      expiresAt: after(real, lifeMs),
    }),
  )
  return token
}

/**
 * Ends the open links of an account (null: those of nobody), of one purpose or all. Whatever changes a credential ends
 * all: a link that was asked for under the old one must not outlive it, nor what other modules gave out.
 */
export async function endLinks(tx: Tx, accountId: string | null, purpose?: LinkPurpose): Promise<void> {
  await tx.run(statements.endLinks(accountId, purpose ?? null, tx.clock.real()))
  if (accountId !== null && purpose === undefined) await publish(tx, linksEnded, { accountId })
}

/** Whose link a token opens now, without using it up; ApiError 400 `Invalid or expired token` when it is no good. */
export async function linkOwner(
  q: Queryable,
  purpose: LinkPurpose,
  token: string,
  real: Date,
): Promise<string | null> {
  const open = await q.maybe(statements.openLink(hashOfToken(token), purpose, real))
  if (!open) throw apiError(IDENTITY.INVALID_LINK)
  return open.accountId
}

export const isLinkOpen = async (
  q: Queryable,
  purpose: LinkPurpose,
  token: string,
  real: Date,
): Promise<boolean> => (await q.maybe(statements.openLink(hashOfToken(token), purpose, real))) !== undefined

/** Uses a link's token up; ApiError 400 `Invalid or expired token` when it is no good, or not for this purpose. */
export async function useLink(
  tx: Tx,
  purpose: LinkPurpose,
  token: string,
): Promise<{ accountId: string | null; details: Record<string, unknown> }> {
  const used = await tx.maybe(statements.useLink(hashOfToken(token), purpose, tx.clock.real()))
  if (!used) throw apiError(IDENTITY.INVALID_LINK)
  return used
}
