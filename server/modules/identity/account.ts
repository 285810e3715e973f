import type { Queryable, Tx } from '#platform/db'
import { fault, type Fault, type FaultRow } from '#platform/fault'
import { isId, newId } from '#platform/id'
import { react } from '#platform/reactions'
import { IDENTITY } from './faults.ts'
import * as statements from './sql/accounts.ts'
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
  /** The error of a taken username; USERNAME_TAKEN by default. */
  usernameError?: FaultRow
}

/**
 * A new account; announces `account.created`, whose followers give it a wallet. A taken e-mail or username is a 409.
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
  if (!account) throw await takenFault(tx, input)
  await react(tx, 'account.created', {
    accountId: account.id,
    userType: account.userType,
    walletType: input.walletType,
    walletAddress: input.walletAddress,
    referralCode: input.referralCode,
  })
  return account
}

async function takenFault(tx: Tx, { email, username, usernameError }: NewAccount): Promise<Fault> {
  if (username && (await accountByUsername(tx, username))) return usernameTaken(tx, username, usernameError)
  return fault(IDENTITY.EMAIL_TAKEN, { hint: email ? 'Sign in instead' : undefined })
}

export const accountById = async (q: Queryable, id: string): Promise<Account | undefined> =>
  isId(id) ? q.maybe(statements.accountById(id)) : undefined

/** The account of a username, whatever its case. */
export const accountByUsername = (q: Queryable, username: string): Promise<Account | undefined> =>
  q.maybe(statements.accountByUsername(username.toLowerCase()))

/** The account of an e-mail address, whatever its case. */
export const accountByEmail = (q: Queryable, email: string): Promise<Account | undefined> =>
  q.maybe(statements.accountByEmail(email))
