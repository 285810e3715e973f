import { setTimeout as sleep } from 'node:timers/promises'
import type { TestService } from './service.ts'

export interface SentMail {
  to: string
  subject: string
  text: string
  html: string
  sentAt: string
}

/** What was sent to an address so far, newest first. */
export async function mailsTo(service: TestService, to: string): Promise<SentMail[]> {
  return (await service.http<{ items: SentMail[] }>('GET', `/sandbox/mail?to=${encodeURIComponent(to)}`)).body
    .items
}

/** The latest mail to an address whose text fits, once it is there. */
export async function mailTo(service: TestService, to: string, fits = /./): Promise<SentMail> {
  const deadline = Date.now() + 30_000
  while (Date.now() < deadline) {
    const found = (await mailsTo(service, to)).find(mail => fits.test(mail.text))
    if (found) return found
    await sleep(20)
  }
  throw new Error(`no mail to ${to} that fits ${String(fits)}`)
}

/** The token of the latest link to an address: `verify`, `reset` or `login`. */
export async function linkTo(
  service: TestService,
  to: string,
  path: 'verify' | 'reset' | 'login',
): Promise<string> {
  const link = new RegExp(`/${path}/([\\w-]+)`)
  return link.exec((await mailTo(service, to, link)).text)?.[1] ?? ''
}

/** Returns when no mail is waiting to be sent, so that a test can say that none came. */
export async function mailsSettled({ services: { db } }: TestService): Promise<void> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const { rows } = await db.pool.query<{ waiting: number }>(
      `select count(*)::int as waiting from jobs.job where state < 'completed'`,
    )
    if (rows[0]?.waiting === 0) return
    if (Date.now() > deadline) throw new Error('mails are still waiting')
    await sleep(20)
  }
}
