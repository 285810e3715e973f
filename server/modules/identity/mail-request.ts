import { createHmac } from 'node:crypto'
import { HOUR, SECOND } from '#platform/clock'
import type { Tx } from '#platform/db'
import { forgetJobs, type JobDefinition } from '#platform/jobs'
import type { Services } from '#platform/services'
import { accountByEmail, accountById } from './account.ts'
import { sendLink } from './mail-link.ts'
import type { MailPurpose } from './mail-templates.ts'
import { emailState } from './sql/emails.ts'

const JOB = 'identity.mail-request'
const WINDOW_SECONDS = HOUR / SECOND
const PER_ADDRESS = 10
/** In production mode only: in a trial everybody comes from one address. */
const PER_IP = 60

export interface MailRequest {
  purpose: MailPurpose
  /** One of the two says whose. */
  email?: string
  accountId?: string
  ip: string
}

/**
 * Asks for a link by mail. Only the job finds out whether there is such an account and whether too many mails were
 * asked for: the request does the same work and gives the same answer for everybody.
 */
export const requestMail = ({ jobs, secrets }: Services, tx: Tx, request: MailRequest): Promise<void> =>
  jobs.enqueue(tx, JOB, { sealed: secrets.seal(JSON.stringify(request), JOB), whose: whoseOf(secrets, request) })

// A keyed hash of who is meant, which counts and finds requests without naming anybody.
const whoseOf = (secrets: Services['secrets'], { email, accountId }: Pick<MailRequest, 'email' | 'accountId'>): string =>
  createHmac('sha256', secrets.derive('identity/mail')).update(email?.toLowerCase() ?? accountId ?? '').digest('base64url')

/** Removes what was asked for an account that is being deleted. */
export const forgetMailRequests = (tx: Tx, { secrets }: Pick<Services, 'secrets'>, { id, email }: { id: string; email: string }) =>
  forgetJobs(tx, JOB, 'whose', [whoseOf(secrets, { accountId: id }), ...(email ? [whoseOf(secrets, { email })] : [])])

/** The job behind `requestMail`. Run twice after a crash it sends a second mail, whose link ends the first. */
export function mailRequestJob(services: Services): JobDefinition {
  const { db, secrets } = services
  return {
    name: JOB,
    handle: async ({ sealed }) => {
      const request = JSON.parse(secrets.open(String(sealed), JOB)) as MailRequest
      if (await withinLimits(services, request)) await db.transaction(tx => answer(tx, services, request))
    },
  }
}

async function answer(tx: Tx, services: Services, { purpose, email, accountId }: MailRequest): Promise<void> {
  const account = email === undefined ? await accountById(tx, accountId ?? '') : await accountByEmail(tx, email)
  if (!account?.email || account.status !== 'ACTIVE') return
  if (purpose === 'verify' && (await tx.one(emailState(account.id))).verified) return
  await sendLink(tx, services, purpose, { accountId: account.id, to: account.email })
}

async function withinLimits(
  { limits, secrets, config }: Services,
  request: MailRequest,
): Promise<boolean> {
  const { purpose, ip } = request
  if (!(await limits.take(`mail:${purpose}:${whoseOf(secrets, request)}`, PER_ADDRESS, WINDOW_SECONDS)).allowed) return false
  return config.sandbox || (await limits.take(`mail-ip:${ip}`, PER_IP, WINDOW_SECONDS)).allowed
}
