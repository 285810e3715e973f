import { createHmac } from 'node:crypto'
import type { Tx } from '../../kernel/db.ts'
import { deleteJobs } from '../../kernel/background/jobs.ts'
import type { Mail } from './mail.ts'
import type { Services } from '../../kernel/services.ts'
import { json, sql } from '../../kernel/sql.ts'

const SHOWN = 100
export const MAIL_JOB = 'mail.send'

type Parts = Pick<Services, 'db' | 'secrets' | 'clock'>
export interface StoredMail extends Mail {
  sentAt: string
}

const recipientOf = ({ secrets }: Pick<Services, 'secrets'>, address: string): Buffer =>
  createHmac('sha256', secrets.derive('mail/recipient')).update(address.toLowerCase()).digest()

/** Stores mails in place of sending them; `id` is that of the job, so that a repeated job stores its mail once. */
export async function storeMails(
  services: Parts,
  mails: readonly (Mail & { id: string; accountId: string })[],
): Promise<void> {
  const { db, secrets, clock } = services
  const rows = mails.map(({ id, accountId, ...mail }) => ({
    id,
    recipient: recipientOf(services, mail.to).toString('hex'),
    sealed: secrets.seal(JSON.stringify(mail), `mail/${id}`),
    account_id: accountId,
  }))
  await db.run(sql`insert into platform_mail (id, recipient, sealed, account_id, sent_at)
    select id, decode(recipient, 'hex'), sealed, account_id, ${clock.real()}::timestamptz
    from jsonb_to_recordset(${json(rows)}::jsonb) as mail (id uuid, recipient text, sealed text, account_id text)
    on conflict (id) do nothing`)
}

/** The latest stored mails of an address, newest first, at most 100; without one those of everybody. */
export async function storedMails(services: Parts, to?: string): Promise<StoredMail[]> {
  const recipient = to === undefined ? null : recipientOf(services, to)
  const rows = await services.db.rows(sql<{ id: string; sealed: string; sentAt: Date }>`
    select id, sealed, sent_at from platform_mail where ${recipient}::bytea is null or recipient = ${recipient}
    order by sent_at desc, id desc limit ${SHOWN}`)
  return rows.map(({ id, sealed, sentAt }) => ({
    ...(JSON.parse(services.secrets.open(sealed, `mail/${id}`)) as Mail),
    sentAt: sentAt.toISOString(),
  }))
}

/** Removes every mail of an account, to whichever address of it, sent or not. */
export async function eraseMails(tx: Tx, accountId: string): Promise<void> {
  await tx.run(sql`delete from platform_mail where account_id = ${accountId}`)
  await deleteJobs(tx, MAIL_JOB, 'accountId', [accountId])
}
