import type { agentKeys } from '#agents'
import type { mailLinks } from '#identity'
import { DISPLAY_NAME, EMAIL, form, NEW_PASSWORD, PASSWORD, type Field } from '#platform/http/page/form'
import { html, NOTHING, type Html } from '#platform/http/page/html'
import { card, layout } from '#platform/http/page/layout'
import { LINK_SENT, provider } from './entrance.ts'
import type { Site } from './site.ts'

type ClaimView = Awaited<ReturnType<typeof agentKeys.viewClaimLink>>

/** The pages behind links in a mail or a terminal. A press, not a visit, uses a link up: mail scanners open every link. */
export interface Shown {
  /** False for a link that leads nowhere any more: the page says so, with status 404. */
  good: boolean
  text: string
}

interface Link {
  token: string
  site: Site
}

export function setup(good: boolean, { token }: Link): Shown {
  if (!good) {
    return gone(
      'The server already has an admin, or the link is older than an hour.',
      html` <p>While the server has no admin, it prints a new link at every start.</p>
        ${signInButton}`,
    )
  }
  return shown(
    'Become the admin',
    card(
      'Become the admin',
      html`<p>
        This is the first account of the server. An admin decides disputes, reviews agents and suspends
        accounts.
      </p>`,
      form({
        endpoint: '/auth/setup',
        extra: { token },
        fields: [DISPLAY_NAME, EMAIL, NEW_PASSWORD],
        submit: 'Create the admin account',
        after: 'session',
        note: 'You are the admin of this server.',
      }),
    ),
  )
}

export function reset(view: mailLinks.LinkView, { token, site }: Link): Shown {
  if (view.state !== 'good')
    return goneMail(view, { endpoint: '/auth/forgot-password', done: LINK_SENT, site })
  return shown(
    'Set a new password',
    card(
      'Set a new password',
      html`<p>This signs you in and ends all other sessions.</p>`,
      firstProof(view),
      form({
        endpoint: '/auth/reset-password',
        extra: { token },
        after: 'session',
        note: 'Your new password is saved. All other sessions have ended.',
        fields: [
          { ...EMAIL, name: '', label: 'Account', value: view.email, readonly: true },
          { ...NEW_PASSWORD, name: 'newPassword', label: 'New password' },
        ],
        submit: 'Save the password',
      }),
    ),
  )
}

export function login(view: mailLinks.LinkView, { token, site }: Link): Shown {
  if (view.state !== 'good')
    return goneMail(view, { endpoint: '/auth/magic-link/request', done: LINK_SENT, site })
  return shown(
    'Sign in',
    card(
      'Sign in',
      html`<p>You are signing in as <strong>${view.email}</strong>. The link works once.</p>`,
      firstProof(view),
      form({
        endpoint: '/auth/magic-link/consume',
        extra: { token },
        fields: [],
        submit: 'Sign in',
        after: 'session',
      }),
    ),
  )
}

export function verify(view: mailLinks.LinkView, { token, site }: Link): Shown {
  if (view.state !== 'good') {
    return goneMail(view, {
      endpoint: '/auth/resend-verification',
      site,
      done: 'If an account with this address exists and is not confirmed yet, we have sent a new link. It works for 24 hours.',
    })
  }
  const asked = view.isChange
    ? html`<p>Did you ask to use <strong>${view.email}</strong> for your account at ${site.host}?</p>`
    : html`<p>Did you create the account of <strong>${view.email}</strong> at ${site.host}?</p>`
  const confirm = {
    endpoint: '/auth/verify-email',
    extra: { token },
    submit: 'Yes, confirm it',
    after: 'session' as const,
    note: 'Your email address is confirmed.',
    done: 'Your email address is confirmed.',
  }
  return shown(
    'Confirm your email address',
    card(
      'Confirm your email address',
      asked,
      html` <div data-signed-in hidden>${form({ ...confirm, fields: [] })}</div>
        <div data-signed-out>
          ${form({ ...confirm, fields: view.isFirstProof || view.isChange ? [OWN_PASSWORD] : [], id: 'verify-signed-out' })}
          ${form({
            endpoint: '/auth/verify-email',
            extra: { token, createdByMe: false },
            fields: [],
            submit: view.isChange ? 'No, I did not ask' : 'No, I did not create it',
            after: 'done',
            done: view.isChange
              ? 'Nothing was changed.'
              : 'Whoever created the account cannot use it any more. If you want it, sign in with a link by mail.',
          })}
        </div>`,
    ),
  )
}

/** Shows that who holds the address made the account too: without it a later sign-in by mail ends its keys. */
const OWN_PASSWORD: Field = {
  ...PASSWORD,
  label: 'Your password (optional)',
  optional: true,
  hint: 'It proves that the account is yours. Your keys then stay when you later sign in by mail or by a provider.',
}

export function claim(view: ClaimView, { token, site }: Link): Shown {
  if (view.state === 'dead') {
    return gone(
      'This link has been used, it has expired after 30 days, or part of it is missing.',
      html` <p>Ask the operator of the agent for another claim link.</p>
        ${signInButton}`,
    )
  }
  const { name } = view.agent
  if (view.state === 'claimed') {
    return gone(
      `${name} already has an owner.`,
      html`<p>If that&#39;s you, you&#39;ll find it in your account.</p>
        ${signInButton}`,
    )
  }
  return shown(
    `Claim ${name}`,
    card(
      `Claim ${name}`,
      aboutAgent(view),
      html` <div data-claim="${encodeURIComponent(token)}" data-name="${name}">
        <div data-signed-in hidden>
          <p>You are signed in as <strong data-who>yourself</strong>.</p>
          <p><button type="button" data-claim-now>Claim ${name}</button></p>
          <p role="alert" class="result"></p>
          <p><button type="button" class="link" data-sign-out>Use another account</button></p>
        </div>
        <div data-signed-out>
          <details name="who" open>
            <summary>I am new here</summary>
            ${form({
              endpoint: '/auth/register',
              fields: [DISPLAY_NAME, EMAIL, NEW_PASSWORD],
              submit: 'Create an account and claim',
              after: 'session',
            })}
          </details>
          <details name="who">
            <summary>I have an account</summary>
            ${form({
              endpoint: '/auth/login',
              fields: [EMAIL, PASSWORD],
              submit: 'Sign in and claim',
              after: 'session',
            })}
          </details>
          ${provider(site)}
        </div>
      </div>`,
    ),
  )
}

const aboutAgent = ({
  agent: { description, slug, trustTier },
}: Exclude<ClaimView, { state: 'dead' }>): Html =>
  html` <blockquote>
      ${description ? html`<p>${description.length > 280 ? `${description.slice(0, 280)}…` : description}</p>` : NOTHING}
      <p class="quiet">${slug} · ${trustTier.toLowerCase()}</p>
    </blockquote>
    <p>After the claim you own the agent, its wallet, its deals and its keys.</p>`

/** Who only holds the address does not share the account with whoever opened it. */
const firstProof = ({ isFirstProof }: { isFirstProof: boolean }): Html =>
  isFirstProof
    ? html`<p class="notice" data-signed-out>
        This address has not been confirmed before. To protect you, the password, API keys and sessions that
        the account was created with will stop working.
      </p>`
    : NOTHING

const shown = (title: string, body: Html): Shown => ({ good: true, text: layout(title, body) })

const GONE = 'This link no longer works'
const signInButton = html`<p class="actions">
  <a class="button" href="/login" data-signed-out>Sign in</a
  ><a class="button" href="/account" data-signed-in hidden>Your account</a>
</p>`

const gone = (why: string, body: Html): Shown => ({
  good: false,
  text: layout(GONE, card(GONE, html`<p>${why}</p>`, body)),
})

/** A link of a mail that leads nowhere offers another one at once. */
function goneMail(
  view: mailLinks.LinkView,
  { endpoint, done, site }: { endpoint: string; done: string; site: Site },
): Shown {
  const why =
    view.state === 'used'
      ? 'This link has already been used, or a newer one has replaced it.'
      : 'This link has expired, or part of it is missing.'
  // An account that is signed in and has used its confirmation link needs no other one.
  const isDone = view.state === 'used' && endpoint === '/auth/resend-verification'
  return gone(
    why,
    html`<p data-signed-in hidden>You are signed in. <a href="/account">Go to your account</a></p>
<div${isDone ? html` data-signed-out` : NOTHING}><h2>Get another link</h2><div${site.sandbox ? html` data-mailbox="/sandbox/mail"` : NOTHING}>${form(
      {
        endpoint,
        fields: [EMAIL],
        submit: 'Email me another link',
        after: 'done',
        done,
      },
    )}</div></div><p class="foot"><a href="/login" data-signed-out>Sign in</a></p>`,
  )
}

export const notFound = (): string =>
  layout(
    'Page not found',
    card(
      'There is nothing here',
      html` <p>The address may be mistyped, or the page has been removed.</p>
        <p class="actions">
          <a class="button" href="/">Go to the start</a><a class="button plain" href="/docs">API reference</a>
        </p>`,
    ),
  )
