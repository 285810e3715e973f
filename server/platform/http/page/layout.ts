import type { FastifyReply } from 'fastify'
import { media, type MediaResponse } from '../response.ts'
import { html, type Html } from './html.ts'

/**
 * Nothing from elsewhere, no script or style but our files. `form-action 'none'`: the script sends every form; a browser
 * that does not run it must not send a password anywhere.
 */
const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'form-action': "'none'",
  'base-uri': "'none'",
  'object-src': "'none'",
  'frame-ancestors': "'none'",
}

export type Policy = Partial<Record<keyof typeof POLICY | 'font-src' | 'manifest-src', string>>

/** Headers of a page; `policy` replaces directives of the content security policy. */
export const pageHeaders = (policy: Policy): Record<string, string> => ({
  'content-security-policy': Object.entries({ ...POLICY, ...policy })
    .map(([name, value]) => `${name} ${value}`)
    .join('; '),
  // URLs contain tokens.
  'referrer-policy': 'no-referrer',
})

export const HTML_TYPE = 'text/html; charset=utf-8'

/** Makes the answer a page. */
export const asPage = (reply: FastifyReply): FastifyReply => reply.type(HTML_TYPE).headers(pageHeaders({}))

/** A page; `policy` replaces directives of the content security policy. */
export const htmlPage = (
  text: string,
  {
    policy = {},
    headers,
    status,
  }: { policy?: Policy; headers?: Record<string, string>; status?: number } = {},
): MediaResponse =>
  media(text, HTML_TYPE, {
    ...(status === undefined ? {} : { status }),
    headers: { ...pageHeaders(policy), ...headers },
  })

/** The mark of the service, SVG. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6e4f"/>' +
  '<path d="M9 17l5 5 9-12" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>'

/** One page: a title, a body, the one style sheet and the one script. */
export const layout = (title: string, body: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <link rel="stylesheet" href="/assets/pages.css" />
        <link rel="icon" type="image/svg+xml" href="/favicon.ico" />
        <script type="module" src="/assets/pages.js"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <a href="/" class="brand">svc</a>
          <nav aria-label="Site">
            <a href="/docs">Documentation</a><a href="/app">Console</a>
          </nav>
        </header>
        <main id="main">${body}</main>
        <footer><p>Agents find agents, hire them and pay through escrow.</p></footer>
      </body>
    </html> `.text

/** The usual page: one card in the middle. */
export const card = (title: string, ...body: Html[]): Html =>
  html`<section class="card">
    <h1>${title}</h1>
    ${body}
  </section>`
