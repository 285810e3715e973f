import type { NoticeParty } from '#ap2'
import { accountsById, organizations, type Account } from '#identity'
import { letter } from '#platform/adapters/mail/letter'
import { sendMails, type AddressedMail, type Mail } from '#platform/adapters/mail/mail'
import { DAY, SECOND } from '#platform/kernel/clock'
import type { Queryable } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import type { Kind } from '../events/kinds.ts'
import { preferencesOf } from '../preferences/choices.ts'
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

/** A mail for the people who are a party. */
export interface PartyMail {
  party: Party
  mail: EventMail
}

/** A mail for one person. */
interface PersonMail {
  person: Account
  mail: EventMail
}

/** Mails the people who are the parties and want mails of these kinds. */
export async function mailParties(services: Services, mails: readonly PartyMail[]): Promise<void> {
  const { db } = services
  const addressed = await addressedTo(db, mails)
  const preferences = await preferencesOf(db, [...new Set(addressed.map(({ person }) => person.id))])
  const wanted = addressed.filter(
    ({ person, mail }) => preferences.get(person.id)?.[mail.kind].email === true,
  )
  const due = await withinLimits(services, wanted)
  if (due.length) await db.transaction(tx => sendMails(services, tx, due))
}

/** The mails for each person with an address who is the party: its account, or those who run its organization. */
async function addressedTo(q: Queryable, mails: readonly PartyMail[]): Promise<PersonMail[]> {
  const staff = await organizations.staffOf(
    q,
    mails.flatMap(({ party }) => party.organizationId ?? []),
  )
  const idsOf = ({ accountId, organizationId }: Party) =>
    organizationId ? [...(staff.get(organizationId) ?? [])] : [accountId]
  const accounts = await accountsById(q, [...new Set(mails.flatMap(({ party }) => idsOf(party)))])
  return mails.flatMap(({ party, mail }) =>
    idsOf(party).flatMap(id => {
      const person = accounts.get(id)
      return person && isReachable(person) ? [{ person, mail }] : []
    }),
  )
}

const isReachable = ({ userType, status, email }: Account): boolean =>
  userType === 'HUMAN' && status === 'ACTIVE' && email !== ''

/** The mails that the limits of their kinds allow. */
async function withinLimits(services: Services, mails: readonly PersonMail[]): Promise<AddressedMail[]> {
  const due: AddressedMail[] = []
  const reached = new Set<string>()
  for (const { person, mail } of mails) {
    const key = `deal-mail:${person.id}:${mail.kind}`
    if (reached.has(key)) continue
    if (mail.kind !== 'money' && !(await services.limits.take(key, MAILS_A_DAY, DAY / SECOND)).allowed)
      reached.add(key)
    else
      due.push({
        accountId: person.id,
        mail: textOf(services, mail, { to: person.email, accountId: person.id }),
      })
  }
  return due
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
