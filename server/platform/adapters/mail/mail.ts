import type { SendMailOptions, Transporter } from 'nodemailer'
import { SECOND } from '../../kernel/clock.ts'
import type { Config } from '../../kernel/config.ts'
import type { Tx } from '../../kernel/db.ts'
import type { JobDefinition } from '../../kernel/background/jobs.ts'
import { storeMails, MAIL_JOB } from './sandbox-mailbox.ts'
import type { Services } from '../../kernel/services.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** Beyond those that every mail has. */
  headers?: Record<string, string>
}

const CONTEXT = 'mail'

/** An SMTP server may be away, or refuse the sign-in, for days: every quarter of an hour for a week. */
const LONGEST_PAUSE_SECONDS = 900
const TRIES = 680
/** Mails that the mailbox of the sandbox stores in one statement. */
const STORED_TOGETHER = 50

/** The first includes the TLS handshake and the greeting; the second is the longest wait for a response, which takes a while where the server scans the mail. */
const CONNECTION_SECONDS = 20
const RESPONSE_SECONDS = 80
/**
 * All of an attempt, also with a server that takes its time for each of six commands. Less than `JOB_SECONDS`: the job of a
 * mail that has not been sent by then runs again, and a second mail would go out beside the first.
 */
export const ATTEMPT_SECONDS = 110

/** A mail and the account that gets it. */
export interface AddressedMail {
  accountId: string
  mail: Mail
}

/**
 * Sends mails to those who have an account when this transaction commits, and only then. Their jobs hold them sealed: mails
 * carry links that sign in.
 */
export const sendMails = (
  { jobs, secrets }: Pick<Services, 'jobs' | 'secrets'>,
  tx: Tx,
  mails: readonly AddressedMail[],
): Promise<void> =>
  jobs.enqueueAll(
    tx,
    MAIL_JOB,
    mails.map(({ accountId, mail }) => ({ sealed: secrets.seal(JSON.stringify(mail), CONTEXT), accountId })),
  )

/** The same with one mail. */
export const sendMail = (
  services: Pick<Services, 'jobs' | 'secrets'>,
  tx: Tx,
  accountId: string,
  mail: Mail,
): Promise<void> => sendMails(services, tx, [{ accountId, mail }])

/** The job behind `sendMail`: SMTP where SMTP_URL is set, else (sandbox mode) the table that /sandbox/mail shows. */
export function mailJob(services: Services): JobDefinition {
  const { config } = services
  const common = { name: MAIL_JOB, retryLimit: TRIES, longestPauseSeconds: LONGEST_PAUSE_SECONDS }
  if (!config.SMTP_URL) {
    const store = (jobs: readonly MailJob[]) =>
      storeMails(
        services,
        jobs.map(job => opened(services, job)),
      )
    return {
      ...common,
      batch: STORED_TOGETHER,
      handle: (payload, { id }) => store([{ id, payload }]),
      handleTogether: store,
    }
  }
  const url = config.SMTP_URL
  let smtp: Promise<Transporter> | undefined
  return {
    ...common,
    // Each waits for the server most of its time, and has a connection of its own.
    batch: 5,
    handle: async (payload, { id }) => {
      smtp ??= openTransport(config, url)
      const { accountId: _, ...mail } = opened(services, { id, payload })
      await transmit(services, await smtp, mail)
    },
  }
}

interface MailJob {
  id: string
  payload: Record<string, unknown>
}

function opened(services: Services, { id, payload }: MailJob): Mail & { id: string; accountId: string } {
  const mail = JSON.parse(services.secrets.open(String(payload['sealed']), CONTEXT)) as Mail
  return { ...named(services, mail), id, accountId: String(payload['accountId']) }
}

/** Connects and signs in as for a mail, and sends none. Throws what prevents it. */
export async function probeSmtp(config: Config, url: string): Promise<void> {
  const smtp = await openTransport(config, url)
  await smtp.verify()
}

async function openTransport(config: Config, url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport(smtpOptions(config, url), { from: senderOf(config) })
}

/**
 * In production mode the password and the links never travel in clear text: a server off this machine must offer TLS,
 * or nothing is sent and the mail is tried again.
 */
export function smtpOptions({ sandbox }: Config, url: string) {
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(url).hostname)
  return {
    url,
    requireTLS: !sandbox && !isLocal,
    connectionTimeout: CONNECTION_SECONDS * SECOND,
    socketTimeout: RESPONSE_SECONDS * SECOND,
  }
}

/** People get mails of many services: the subject says which. */
const named = ({ publicUrl }: Services, { subject, ...mail }: Mail): Mail => ({
  ...mail,
  subject: `${new URL(publicUrl).host}: ${subject}`,
})

const senderOf = ({ MAIL_FROM, PUBLIC_URL }: Config): string =>
  MAIL_FROM ?? `no-reply@${PUBLIC_URL ? new URL(PUBLIC_URL).hostname : 'localhost'}`

// Nodemailer's codes for recipients and for a message that the server refuses.
const MAIL_REFUSED = new Set(['EENVELOPE', 'EMESSAGE'])

interface Refusal {
  code?: string
  responseCode?: number
}

/** Null when the server has accepted the mail; what it refused, or EABORT after `seconds`, otherwise. */
export function attempt(
  smtp: Transporter,
  mail: SendMailOptions,
  seconds = ATTEMPT_SECONDS,
): Promise<Refusal | null> {
  const limited = { ...mail, signal: AbortSignal.timeout(seconds * SECOND) }
  return smtp.sendMail(limited).then(
    () => null,
    (error: Refusal) => error,
  )
}

/**
 * A refusal of the mail itself (5xx) is final. Everything else is tried again, a missing TLS or a refused sign-in too,
 * which the operator can repair. The log record has neither address nor text.
 */
async function transmit(
  { log, publicUrl }: Services,
  smtp: Transporter,
  { id, ...mail }: Mail & { id: string },
): Promise<void> {
  // The same id on every attempt: the receiver can detect a repeated mail.
  const refusal = await attempt(smtp, { ...mail, messageId: `<${id}@${new URL(publicUrl).hostname}>` })
  if (!refusal) return
  const { code = 'unknown', responseCode = 0 } = refusal
  log.warn(
    { code, responseCode },
    'a mail was not sent; "svc doctor" says whether the SMTP server can be used',
  )
  // A new error: that of the library names the recipient, and the queue keeps what is thrown.
  if (responseCode < 500 || !MAIL_REFUSED.has(code)) throw new Error(`mail not sent: ${code} ${responseCode}`)
}
