import { sql } from '#platform/kernel/sql'

/** One external identity is looked up and made by one caller at a time. */
export const lockExternal = (provider: string, subject: string) => sql`
  select pg_advisory_xact_lock(hashtextextended(${`${provider} ${subject}`}, 727011))`

export const accountOfExternal = (provider: string, subject: string) => sql<{ accountId: string }>`
  select account_id from identity_external where provider = ${provider} and subject = ${subject}`

export const insertExternal = (link: {
  provider: string
  subject: string
  accountId: string
  real: Date
}) => sql`
  insert into identity_external (provider, subject, account_id, created_at)
  values (${link.provider}, ${link.subject}, ${link.accountId}, ${link.real})`
