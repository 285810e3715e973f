import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, type ApiError, type ErrorRow } from '#platform/kernel/errors'
import { isId, newId } from '#platform/kernel/id'
import { publish } from '#platform/kernel/events'
import { IDENTITY } from '../errors.ts'
import { accountCreated } from '../events.ts'
import * as statements from './sql.ts'
import { usernameTaken } from './username.ts'

export type UserType = 'HUMAN' | 'AGENT'
export type Role = 'USER' | 'ADMIN'

export interface Account {
  id: string
  /** Empty where the account has none. */
  email: string
  displayName: string
  username: string | null
  userType: UserType
  role: Role
  plan: 'FREE' | 'PRO'
  status: 'ACTIVE' | 'SUSPENDED' | 'DELETED'
  createdAt: Date
}

/** Cookie of the last click on a link of an affiliate, who sets it (`affiliates`). */
export const CLICK_COOKIE = 'svc_click'

export interface NewAccount {
  email?: string
  /** In lower case; see username.ts for what is one. */
  username?: string
  displayName: string
  /** From `hashPassword`; without it nobody signs in by password. */
  passwordHash?: string | null
  userType: UserType
  role?: Role
  walletType?: 'MANAGED' | 'PROVIDED'
  walletAddress?: string
  /** Code of the affiliate who brought the account. */
  referralCode?: string
  /** The click on a link of an affiliate, which counts if there is no code. */
  clickId?: string
  /** The error of a taken username; USERNAME_TAKEN by default. */
  usernameError?: ErrorRow
}

/**
 * A new account; publishes `account.created`, whose subscribers create its wallet. A taken email or username is a 409.
 */
export async function createAccount(tx: Tx, input: NewAccount): Promise<Account> {
  const account = await tx.maybe(
    statements.insertAccount({
      id: newId(),
      email: input.email || null,
      username: input.username ?? null,
      displayName: input.displayName,
      passwordHash: input.passwordHash ?? null,
      userType: input.userType,
      role: input.role ?? 'USER',
      createdAt: tx.now,
    }),
  )
  if (!account) throw await takenError(tx, input)
  await publish(tx, accountCreated, {
    accountId: account.id,
    userType: account.userType,
    walletType: input.walletType,
    walletAddress: input.walletAddress,
    referralCode: input.referralCode,
    clickId: input.clickId,
  })
  return account
}

async function takenError(tx: Tx, { email, username, usernameError }: NewAccount): Promise<ApiError> {
  if (username && (await accountByUsername(tx, username))) return usernameTaken(tx, username, usernameError)
  return apiError(IDENTITY.EMAIL_TAKEN, {
    hint: email ? 'Sign in instead' : undefined,
    // The interface shows suggestions in every 409 of POST /agents/register. The username is free, so there are none.
    fields: username ? { suggestions: [] } : undefined,
  })
}

/** Sets the plan, which decides the fee of the deals that are held from now on. */
export const setPlan = async (tx: Tx, accountId: string, plan: Account['plan']): Promise<void> => {
  await tx.run(statements.setPlan(accountId, plan, tx.now))
}

export const accountById = async (q: Queryable, id: string): Promise<Account | undefined> =>
  isId(id) ? q.maybe(statements.accountById(id)) : undefined

/** Those of some ids that exist, by their id. */
export const accountsById = async (q: Queryable, ids: readonly string[]): Promise<Map<string, Account>> =>
  new Map((await q.rows(statements.accountsById(ids))).map(account => [account.id, account]))

/** The account of a username, whatever its case. */
export const accountByUsername = (q: Queryable, username: string): Promise<Account | undefined> =>
  q.maybe(statements.accountByUsername(username.toLowerCase()))

/** The account of an email address, whatever its case. */
export const accountByEmail = (q: Queryable, email: string): Promise<Account | undefined> =>
  q.maybe(statements.accountByEmail(email))
