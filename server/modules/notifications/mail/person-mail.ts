import type { NoticeParty } from '#ap2'
import { accountById, organizations, type Account } from '#identity'
import { letter } from '#platform/adapters/mail/letter'
import { sendMail, type Mail } from '#platform/adapters/mail/mail'
import { DAY, SECOND } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import type { Kind } from '../events/kinds.ts'
import { isWanted } from '../preferences/choices.ts'
import { unsubscribeToken } from './unsubscribe.ts'

/** Of one kind. Anybody can offer deals to an agent: that must not fill its owner's mailbox. */
const MAILS_A_DAY = 50

/** A mail about an event. It contains no text of a party: a mail of this service must not carry texts of other accounts. */
export interface EventMail {
  kind: Kind
  subject: string
  paragraphs: string[]
  link: { text: string; path: string }
  /** The call for programs, such as `GET /agents/my-runs/1`. */
  call: string
}

type Party = Pick<NoticeParty, 'accountId' | 'organizationId'>

/** Mails the people who are the party and want mails of this kind. */
export async function mailParty(services: Services, party: Party, mail: EventMail): Promise<void> {
  const { db, limits } = services
  for (const { id, email: to } of await peopleOf(db, party)) {
    if (!(await isWanted(db, id, { kind: mail.kind, channel: 'email' }))) continue
    if (mail.kind !== 'money') {
      const taken = await limits.take(`deal-mail:${id}:${mail.kind}`, MAILS_A_DAY, DAY / SECOND)
      if (!taken.allowed) continue
    }
    const text = textOf(services, mail, { to, accountId: id })
    await db.transaction(tx => sendMail(services, tx, id, text))
  }
}

/** People with an address who are the party: its account, or those who run its organization. */
async function peopleOf(q: Queryable, { accountId, organizationId }: Party): Promise<Account[]> {
  const ids = organizationId
    ? [...((await organizations.staffOf(q, [organizationId])).get(organizationId) ?? [])]
    : [accountId]
  const found = await Promise.all(ids.map(id => accountById(q, id)))
  return found.flatMap(account =>
    account?.userType === 'HUMAN' && account.status === 'ACTIVE' && account.email ? [account] : [],
  )
}

function textOf(
  services: Pick<Services, 'publicUrl' | 'secrets'>,
  { kind, subject, paragraphs, link, call }: EventMail,
  { to, accountId }: { to: string; accountId: string },
): Mail {
  const { publicUrl } = services
  const [method, path] = call.split(' ')
  const end =
    kind === 'money' ? null : `${publicUrl}/unsubscribe/${unsubscribeToken(services, accountId, kind)}`
  const text = letter({
    to,
    subject,
    paragraphs,
    link: { text: link.text, url: `${publicUrl}${link.path}` },
    details: [
      `For programs: ${method} ${publicUrl}${path}`,
      ...(end ? [`Unsubscribe from mails about ${kind}: ${end}`] : []),
    ],
  })
  if (!end) return text
  // RFC 8058: mail programs show a button that sends a POST to the link.
  const headers = { 'List-Unsubscribe': `<${end}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  return { ...text, headers }
}
