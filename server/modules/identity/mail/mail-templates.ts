import { letter, mailButton } from '#platform/adapters/mail/letter'
import type { Mail } from '#platform/adapters/mail/mail'
import { html, NOTHING, type Html } from '#platform/http/page/html'
import type { LinkPurpose } from './link.ts'

/** The purposes that a link goes out by mail for. */
export type MailPurpose = Exclude<LinkPurpose, 'setup'>

interface LinkText {
  path: string
  subject: string
  /** `host` is the service as people know it. */
  lead(to: string, host: string): string
  button: string
  life: string
}

const LINKS: Record<MailPurpose, LinkText> = {
  verify: {
    path: 'verify',
    subject: 'Confirm your email address',
    lead: (to, host) =>
      `Someone created an account at ${host} with the address ${to}. If it was you, please confirm the address.`,
    button: 'Confirm the address',
    life: '24 hours',
  },
  reset: {
    path: 'reset',
    subject: 'Set a new password',
    lead: (to, host) => `We received a request to reset the password for ${to} at ${host}.`,
    button: 'Set a new password',
    life: '10 minutes',
  },
  magic: {
    path: 'login',
    subject: 'Your sign-in link',
    lead: (to, host) => `Use this link to sign in to ${host} as ${to}.`,
    button: 'Sign in',
    life: '10 minutes',
  },
}

/**
 * A mail with a link that works once. `from`: how an account is known now that asks to use
 * `to` from now on. `next`: page of the console to go to after the sign-in.
 */
export function linkMail(
  purpose: MailPurpose,
  publicUrl: string,
  { to, token, from, next }: { to: string; token: string; from?: string; next?: string },
): Mail {
  const { path, subject, lead, button, life } = LINKS[purpose]
  const { host } = new URL(publicUrl)
  const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`
  const link = `${publicUrl}/${path}/${token}${query}`
  const words = from
    ? `The account ${from} at ${host} asked to change its email address to ${to}. Confirm this only if the account is yours.`
    : lead(to, host)
  const rest = `The link works once and expires after ${life}. If you didn't request this, you can safely ignore this email.`
  return {
    to,
    subject: from ? 'Confirm your new email address' : subject,
    text: `Hello,\n\n${words}\n\n${link}\n\n${rest}\n`,
    html: markup(
      words,
      rest,
      html`${mailButton({ text: button, url: link })}
        <p style="${SMALL}">Or open this address:<br /><a href="${link}">${link}</a></p>`,
    ),
  }
}

/** A mail to the owner of an account about a change. `what` is a text of the service. */
export function noticeMail(to: string, what: string): Mail {
  const rest = 'If this was not you, set a new password now and contact the operator of this service.'
  return {
    to,
    subject: 'A change to your account',
    text: `Hello,\n\n${what}\n\n${rest}\n`,
    html: markup(what, rest),
  }
}

/** A mail to a person who is invited to an organization; another account chose `slug`. */
export const invitationMail = (to: string, publicUrl: string, slug: string): Mail =>
  letter({
    to,
    subject: 'An invitation to an organization',
    paragraphs: [`You are invited to join the organization "${slug}" at ${new URL(publicUrl).host}.`],
    link: { text: 'See the invitation', url: `${publicUrl}/app/organizations` },
    details: [
      `For programs: POST ${publicUrl}/organizations/${slug}/accept or /decline; GET ${publicUrl}/users/me/invitations lists your invitations.`,
      'If you do not know the organization, ignore this email: you join nothing.',
    ],
  })

// Mail programs read little more than the styles of the elements themselves.
const SMALL = 'font-size:14px;color:#556080'

const markup = (words: string, rest: string, action: Html = NOTHING): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <base target="_blank" />
      </head>
      <body
        style="margin:0;padding:24px;background:#ffffff;color:#14213d;font:16px/1.5 sans-serif;overflow-wrap:anywhere"
      >
        <p style="margin-top:0">Hello,</p>
        <p>${words}</p>
        ${action}
        <p style="${SMALL};margin-bottom:0">${rest}</p>
      </body>
    </html>`.text
