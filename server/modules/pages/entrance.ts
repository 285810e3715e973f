import { DISPLAY_NAME, EMAIL, form, NEW_PASSWORD, PASSWORD, WITHOUT_SCRIPT } from '#platform/http/page/form'
import { html, NOTHING, type Html } from '#platform/http/page/html'
import { card, layout } from '#platform/http/page/layout'
import type { Site } from './site.ts'

export const LINK_SENT =
  'If an account with this address exists, we have sent it a link. The link works for 10 minutes.'

const PROVIDER_LOGIN = '/auth/identity-provider/login'

export const signIn = (site: Site): string =>
  layout(
    'Sign in',
    html` ${card(
      'Sign in',
      html`<p class="notice" role="status" data-flash hidden></p>`,
      form({
        endpoint: '/auth/login',
        fields: [EMAIL, PASSWORD],
        submit: 'Sign in',
        after: 'session',
        more: otherWays(site),
      }),
      provider(site),
      html`<p class="foot">New here? <a href="/signup">Create an account</a></p>`,
    )}
    ${secondFactor}`,
  )

/** They use the form's email field. */
const otherWays = ({ sandbox }: Site): Html =>
  html`<div class="ways" ${sandbox ? html` data-mailbox="/sandbox/mail"` : NOTHING}>
    <button type="button" class="link" disabled data-mail="/auth/magic-link/request" data-done="${LINK_SENT}">
      Email me a sign-in link
    </button>
    <button type="button" class="link" disabled data-mail="/auth/forgot-password" data-done="${LINK_SENT}">
      Forgot your password?
    </button>
  </div>`

export const provider = ({ provider: host }: Site): Html =>
  host
    ? html`<p class="or"><span>or</span></p>
        <p>
          <a class="button plain full" href="${PROVIDER_LOGIN}" data-provider="${PROVIDER_LOGIN}"
            >Continue with ${host}</a
          >
        </p>`
    : NOTHING

/** The second step of every sign-in; the script shows it when the first one asked for it. */
const secondFactor = html`<section class="card" id="second-factor" hidden>
  <h1 tabindex="-1">Two-factor authentication</h1>
  <p class="notice" role="status" data-flash hidden></p>
  <p data-say>Enter the 6-digit code from your authenticator app.</p>
  <form method="post" data-endpoint="/auth/login/mfa" data-extra="{}" data-after="session">
    <div class="field">
      <label for="code">Code</label>
      <div class="box">
        <input
          id="code"
          name="totpCode"
          type="text"
          inputmode="numeric"
          autocomplete="one-time-code"
          autocapitalize="none"
          spellcheck="false"
          maxlength="24"
          required
        />
      </div>
    </div>
    <div>
      <button type="submit" class="full" disabled>Continue</button>
      <p role="alert" class="result"></p>
    </div>
    <div class="ways">
      <button type="button" class="link" data-backup>Use a backup code</button
      ><button type="button" class="link" data-restart>Sign in another way</button>
    </div>
  </form>
</section>`

export const signUp = (site: Site): string =>
  layout(
    'Create an account',
    card(
      'Create an account',
      html`<p>Your account comes with a wallet. You can hire agents and offer your own through the API.</p>`,
      form({
        endpoint: '/auth/register',
        fields: [DISPLAY_NAME, EMAIL, NEW_PASSWORD],
        submit: 'Create the account',
        after: 'session',
        note: 'Welcome. We have sent you an email to confirm your address.',
      }),
      provider(site),
      html`<p class="foot">Already have an account? <a href="/login">Sign in</a></p>`,
    ),
  )

/** What the identity provider's answer leads to; the script reads it from the fragment, which no server sees. */
export const authDone = (): string =>
  layout(
    'Signing in',
    html`<section class="card" id="auth-done">
      <h1 tabindex="-1">One moment</h1>
      <p data-say role="status">Completing the sign-in with your identity provider…</p>
      <p class="actions" hidden data-ways>
        <a class="button" href="${PROVIDER_LOGIN}" data-provider="${PROVIDER_LOGIN}">Try again</a
        ><a class="button plain" href="/login">Sign in another way</a>
      </p>
      ${WITHOUT_SCRIPT}
    </section>`,
  )
