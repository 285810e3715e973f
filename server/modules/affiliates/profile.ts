import { randomInt } from 'node:crypto'
import type { Tx } from '#platform/db'
import { newId } from '#platform/id'
import * as statements from './sql.ts'

export interface AffiliateProfile {
  id: string
  accountId: string
  code: string
  status: 'PENDING' | 'APPROVED' | 'REJECTED' | 'SUSPENDED'
  tier: 'SCOUT' | 'BUILDER' | 'CAPTAIN' | 'ARCHITECT'
  /** Share of the platform's fee, in hundredths of a percent. */
  rateBps: number
  /** How long a referral earns after its sign-up. */
  months: number
  displayName: string
  createdAt: Date
}

const SELF_REGISTERED = { rateBps: 2000, months: 24 }
// Without what is read as another: 0 O 1 I L.
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const CODE_LENGTH = 8

/** The approved profile of an agent that registered itself: 20 % of the platform's fee for 24 months. */
export async function createAffiliateProfile(
  tx: Tx,
  input: { accountId: string; displayName: string },
): Promise<AffiliateProfile> {
  for (;;) {
    const profile = await tx.maybe(
      statements.insertProfile({
        id: newId(),
        ...input,
        code: randomCode(),
        status: 'APPROVED',
        ...SELF_REGISTERED,
        createdAt: tx.now,
      }),
    )
    if (profile) return profile
  }
}

/** The profile of a deleted account earns no more and names nobody; who brought the account is forgotten. Follows `account.deleted`. */
export async function forgetAffiliate(tx: Tx, { accountId }: { accountId: string }): Promise<void> {
  await tx.run(statements.forgetProfile(accountId, tx.now))
  await tx.run(statements.forgetReferral(accountId))
}

const randomCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
