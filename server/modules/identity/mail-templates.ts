import type { Mail } from '#platform/mail'
import type { LinkPurpose } from './link.ts'

/** The purposes that a link goes out by mail for. */
export type MailPurpose = Exclude<LinkPurpose, 'setup'>

const LINKS: Record<MailPurpose, { path: string; subject: string; lead: string; button: string; life: string }> = {
  verify: {
    path: 'verify',
    subject: 'Confirm your e-mail',
    lead: 'Please confirm that this address is yours.',
    button: 'Confirm',
    life: '24 hours',
  },
  reset: {
    path: 'reset',
    subject: 'Set a new password',
    lead: 'Somebody, hopefully you, asked for a new password.',
    button: 'Set a new password',
    life: '10 minutes',
  },
  magic: {
    path: 'login',
    subject: 'Your sign-in link',
    lead: 'This link signs you in.',
    button: 'Sign in',
    life: '10 minutes',
  },
}

/** A mail with a link that works once. */
export function linkMail(purpose: MailPurpose, publicUrl: string, { to, token }: { to: string; token: string }): Mail {
  const { path, subject, lead, button, life } = LINKS[purpose]
  const link = `${publicUrl}/${path}/${token}`
  const rest = `The link works once and for ${life}. If you did not ask for it, ignore this mail.`
  return {
    to,
    subject,
    text: `${lead}\n\n${link}\n\n${rest}\n`,
    html: markup(`<p>${lead}</p><p><a href="${link}">${button}</a></p><p>${rest}</p>`),
  }
}

/** A mail that tells the owner of an account what was changed. `what` is our own text. */
export function noticeMail(to: string, what: string): Mail {
  const rest = 'If this was not you, set a new password now and tell the operator of this service.'
  return {
    to,
    subject: 'A change to your account',
    text: `${what}\n\n${rest}\n`,
    html: markup(`<p>${what}</p><p>${rest}</p>`),
  }
}

const markup = (body: string): string =>
  `<!doctype html><html lang="en"><body style="font: 16px/1.5 sans-serif">${body}</body></html>`
