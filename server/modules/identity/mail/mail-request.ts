import type { Queryable, Tx } from '#platform/kernel/db'
import { deleteJobs, type JobDefinition } from '#platform/kernel/background/jobs'
import { sendMail, type Mail } from '#platform/adapters/mail/mail'
import type { Services } from '#platform/kernel/services'
import { accountByEmail, accountById } from '../account/account.ts'
import { isLinkOpen } from './link.ts'
import { makeMailLink } from './mail-link.ts'
import { fingerprintOf, mayMail, type MailKind } from './mail-limits.ts'
import { invitationMail, linkMail, noticeMail, type MailPurpose } from './mail-templates.ts'
import { emailState } from '../account/email-sql.ts'

const JOB = 'identity.mail-request'

/** A mail that somebody wants to go out. All of this module's mails go through here, where they are counted. */
export type MailRequest =
  /** A link for the account of an address, or for a signed-in one. */
  | { kind: MailPurpose; email: string; ip: string; /** Page to go to after the sign-in. */ next?: string }
  | { kind: 'verify'; accountId: string; ip: string }
  /** A link that exists already, to an address that is not the account's yet or is not confirmed. */
  | { kind: 'confirm'; accountId: string; to: string; token: string; ip: string }
  /** Our own text to an address of the account. */
  | { kind: 'notice'; accountId: string; to: string; what: string }
  /** To join the organization `slug`. */
  | { kind: 'invitation'; accountId: string; to: string; slug: string; ip: string }

type Sending = Pick<Services, 'jobs' | 'secrets'>

/**
 * Wants a mail to go out. Only the job finds out whether there is such an account and whether too many mails were
 * asked for: the request does the same work and gives the same answer for everybody.
 */
export const requestMail = (tx: Tx, { jobs, secrets }: Sending, request: MailRequest): Promise<void> =>
  jobs.enqueue(tx, JOB, {
    sealed: secrets.seal(JSON.stringify(request), JOB),
    whose: fingerprintOf(secrets, 'accountId' in request ? request.accountId : request.email),
  })

/**
 * Asks the holder of an address, present or wished for, to confirm it: it is the account's from then on. The link is
 * made here and not when the mail goes, so that whatever ends the account's links ends this one too.
 */
export async function sendVerification(
  tx: Tx,
  services: Sending,
  { id: accountId, email: to, isChange }: { id: string; email: string; isChange?: boolean },
  ip: string,
): Promise<void> {
  const token = await makeMailLink(tx, services, 'verify', { accountId, to, isChange })
  await requestMail(tx, services, { kind: 'confirm', accountId, to, token, ip })
}

/** Deletes the waiting mail requests of an account that is being deleted. */
export const eraseMailRequests = (
  tx: Tx,
  { secrets }: Pick<Services, 'secrets'>,
  { id, email }: { id: string; email: string },
): Promise<number> =>
  deleteJobs(
    tx,
    JOB,
    'whose',
    [id, email].filter(Boolean).map(text => fingerprintOf(secrets, text)),
  )

/** The job behind `requestMail`. Run twice after a crash it sends a second mail. */
export function mailRequestJob(services: Services): JobDefinition {
  const { secrets } = services
  return {
    name: JOB,
    handle: async ({ sealed }) =>
      answer(services, JSON.parse(secrets.open(String(sealed), JOB)) as MailRequest),
  }
}

async function answer(services: Services, request: MailRequest): Promise<void> {
  const addressed = await addressee(services, request)
  if (!addressed || !(await mayMail(services, { ...request, to: addressed.to }))) return
  await services.db.transaction(async tx =>
    sendMail(services, tx, addressed.accountId, await compose(tx, services, request, addressed)),
  )
}

interface Addressee {
  accountId: string
  to: string
}

/** Whom the mail goes to; null when it has no business any more. */
async function addressee({ db, clock }: Services, request: MailRequest): Promise<Addressee | null> {
  if (request.kind === 'notice' || request.kind === 'invitation') return request
  if (request.kind === 'confirm')
    return (await isLinkOpen(db, 'verify', request.token, clock.real())) ? request : null
  const account =
    'email' in request ? await accountByEmail(db, request.email) : await accountById(db, request.accountId)
  if (!account?.email || account.status !== 'ACTIVE') return null
  if (request.kind === 'verify' && (await isSettled(db, account.id, 'email' in request))) return null
  return { accountId: account.id, to: account.email }
}

// The signed-in registrant may confirm once more, to be shown as the holder of the address.
async function isSettled(q: Queryable, accountId: string, isAnonymous: boolean): Promise<boolean> {
  const { verified, isOwned } = await q.one(emailState(accountId))
  return isOwned || (isAnonymous && verified)
}

async function compose(
  tx: Tx,
  services: Services,
  request: MailRequest,
  addressed: Addressee,
): Promise<Mail> {
  const { to } = addressed
  if (request.kind === 'notice') return noticeMail(to, request.what)
  if (request.kind === 'invitation') return invitationMail(to, services.publicUrl, request.slug)
  const purpose = purposeOf(request.kind)
  const token = 'token' in request ? request.token : await makeMailLink(tx, services, purpose, addressed)
  const from = request.kind === 'confirm' ? await accountLabel(tx, addressed) : undefined
  const next = 'next' in request ? request.next : undefined
  return linkMail(purpose, services.publicUrl, { to, token, from, next })
}

/** Account label for the mail to a new address. Never user-supplied text: the recipient may be a third party. */
async function accountLabel(tx: Tx, { accountId, to }: Addressee): Promise<string | undefined> {
  const account = await accountById(tx, accountId)
  return account && account.email.toLowerCase() !== to.toLowerCase()
    ? account.email || account.username || account.id
    : undefined
}

const purposeOf = (kind: Exclude<MailKind, 'notice' | 'invitation'>): MailPurpose =>
  kind === 'confirm' ? 'verify' : kind
