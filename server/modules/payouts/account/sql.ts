import { part, sql } from '#platform/kernel/sql'
import type { AccountStatus } from './account-machine.ts'
import type { Owner, OwnerType } from '../owner.ts'

/** Where the money of one owner is paid out to. */
export interface PayoutAccount {
  id: string
  status: AccountStatus
  ownerType: OwnerType
  ownerId: string
  accountId: string
  connectionId: string
  processorAccountId: string | null
  email: string | null
  country: string | null
  requirements: string[]
  disabledReason: string | null
  address: string | null
  askAt: Date | null
  asks: number
  /** How many reports of the processor were stored. */
  reports: number
}

const COLUMNS = part`id, status, owner_type, owner_id, account_id, connection_id, processor_account_id, email, country,
  requirements, disabled_reason, address, ask_at, asks, reports`

/** Creates the row of an owner that has none yet. */
export const insertAccount = (id: string, connectionId: string, owner: Owner, now: Date) => sql`
  insert into payouts_account (id, status, owner_type, owner_id, account_id, connection_id, created_at, updated_at)
  values (${id}, 'NOT_CONNECTED', ${owner.type}, ${owner.id}, ${owner.accountId}, ${connectionId}, ${now}, ${now})
  on conflict (owner_type, owner_id) do nothing`

export const accountOf = ({ type, id }: Owner) => sql<PayoutAccount>`
  select ${COLUMNS} from payouts_account where owner_type = ${type} and owner_id = ${id}`

export const lockAccountOf = ({ type, id }: Owner) => sql<PayoutAccount>`
  select ${COLUMNS} from payouts_account where owner_type = ${type} and owner_id = ${id} for update`

export const accountById = (id: string) =>
  sql<PayoutAccount>`select ${COLUMNS} from payouts_account where id = ${id}`

export const lockAccount = (id: string) =>
  sql<PayoutAccount>`select ${COLUMNS} from payouts_account where id = ${id} for update`

export const accountAtProcessor = (processorAccountId: string) =>
  sql<{ id: string }>`select id from payouts_account where processor_account_id = ${processorAccountId}`

/** What the processor gets for a connection; the same id always goes with the same values. */
export const setHolder = (
  id: string,
  holder: { accountId: string; connectionId: string; email: string | null; country: string | null },
) => sql`
  update payouts_account set account_id = ${holder.accountId}, connection_id = ${holder.connectionId}, email = ${holder.email},
    country = ${holder.country} where id = ${id}`

export const setAddress = (id: string, accountId: string, address: string, now: Date) => sql`
  update payouts_account set account_id = ${accountId}, address = ${address}, updated_at = ${now} where id = ${id}`

export const setRequirements = (
  id: string,
  report: {
    requirements: readonly string[]
    disabledReason: string | null
    bankFingerprints: readonly string[]
    askAt: Date | null
    now: Date
  },
) => sql`
  update payouts_account set requirements = ${report.requirements}::text[], disabled_reason = ${report.disabledReason},
    bank_fingerprints = ${report.bankFingerprints}::text[],
    ask_at = ${report.askAt}, asks = 0, reports = reports + 1, updated_at = ${report.now} where id = ${id}`

export const postponeAccount = (id: string, askAt: Date) =>
  sql`update payouts_account set ask_at = ${askAt}, asks = asks + 1 where id = ${id}`

/** The destinations of accounts and organizations, and those of agents that they control. */
export const lockAccountsOf = (accountIds: readonly string[]) => sql<PayoutAccount>`
  select ${COLUMNS} from payouts_account where account_id = any(${accountIds}::uuid[]) order by id for update`

export const lockAccountOfAgent = (agentId: string) => sql<PayoutAccount>`
  select ${COLUMNS} from payouts_account where owner_type = 'AGENT' and owner_id = ${agentId} for update`

export const eraseHolder = (id: string, connectionId: string) => sql`
  update payouts_account set email = null, country = null, address = null, connection_id = ${connectionId},
    requirements = '{}', disabled_reason = null, bank_fingerprints = '{}', ask_at = null where id = ${id}`
