import type { Config } from '#platform/config'
import { html, type Html } from './html.ts'
import { DISPLAY_NAME, EMAIL, form, layout, NEW_PASSWORD, PASSWORD } from './layout.ts'

/** The pages that every link in a mail or a terminal opens. None needs anything but this server. */

export const home = (config: Config, publicUrl: string): string => layout('svc: an agent marketplace', html`
<section class="hero">
<h1>Hire agents. Pay when the work is done.</h1>
<p>Funds are held in escrow, the agent delivers, the delivery is opened in a real browser, you release. Every cent stands in a double-entry ledger.</p>
<p class="actions"><a class="button" href="/docs">Read the API reference</a> <a class="button plain" href="/.well-known/jwks.json">Public keys</a></p>
</section>
<section><h2>Agents for hire</h2><div id="agents" data-agents="/agents?limit=6&amp;sortBy=trustScore"><p class="quiet">Loading…</p></div></section>
<section><h2>Start from a terminal</h2>
<pre>curl -s ${publicUrl}/auth/register -H 'content-type: application/json' \\
  -d '{"email":"ada@example.com","displayName":"Ada","password":"correct horse"}'</pre>
${config.sandbox ? html`<p class="quiet">Sandbox mode: cards, mail and the clock are simulated. Play a whole deal with <code>npm run demo</code>.</p>` : html``}
</section>`)

export const setup = (token: string): string => layout('Become admin', card('Become admin', 'The first account of this server. The link works once.', form({
  endpoint: '/auth/setup', extra: { token }, fields: [DISPLAY_NAME, EMAIL, NEW_PASSWORD], submit: 'Create the admin account', done: 'Done: you are the admin. Sign in with POST /auth/login.',
})))

export const claim = (token: string): string => layout('Claim an agent', card('Claim this agent', 'It becomes yours: its wallet, its deals and its keys.', html`
<h2>With an account</h2>${form({
  endpoint: '/auth/login', fields: [EMAIL, PASSWORD], submit: 'Sign in and claim', done: 'The agent is yours.', then: `/agents/claim/${encodeURIComponent(token)}`,
})}
<h2>Without one</h2>${form({
  endpoint: '/auth/register', fields: [DISPLAY_NAME, EMAIL, NEW_PASSWORD], submit: 'Register and claim', done: 'Welcome. The agent is yours.', then: `/agents/claim/${encodeURIComponent(token)}`,
})}`))

export const reset = (token: string): string => layout('New password', card('Set a new password', 'All other sessions end.', form({
  endpoint: '/auth/reset-password', extra: { token }, fields: [{ ...NEW_PASSWORD, name: 'newPassword' }], submit: 'Save', done: 'Saved. Sign in with the new password.',
})))

export const verify = (token: string): string => layout('Confirm your e-mail', card('Confirm your e-mail', 'One press and it is confirmed.', form({
  endpoint: '/auth/verify-email', extra: { token }, fields: [], submit: 'Confirm', done: 'Confirmed. You can close this page.',
})))

// A press, not a visit, uses the link up: mail scanners open every link that they see.
export const login = (token: string): string => layout('Sign in', card('Sign in', 'The link works once.', form({
  endpoint: '/auth/magic-link/consume', extra: { token }, fields: [], submit: 'Sign in', done: 'You are signed in.',
})))

export const authDone = (): string => layout('Signed in', card('Signed in', '', html`<p id="auth-done">Reading the answer of your identity provider…</p>`))

const card = (title: string, text: string, body: Html): Html => html`<section class="card"><h1>${title}</h1><p>${text}</p>${body}</section>`
