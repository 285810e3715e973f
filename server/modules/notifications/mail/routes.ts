import { Type } from '#platform/http/type'
import { command, page, type App } from '#platform/http/operations'
import { html } from '#platform/http/page/html'
import { card, htmlPage, layout } from '#platform/http/page/layout'
import type { Services } from '#platform/kernel/services'
import { changePreferences } from '../preferences/choices.ts'
import { readToken } from './unsubscribe.ts'

const TokenPath = Type.Object({ token: Type.String({ maxLength: 200 }) })

/** The link in each mail that ends the mails of its kind. */
export function unsubscribeRoutes(app: App, services: Services): void {
  const link = { url: '/unsubscribe/{token}', tag: 'Account', access: 'public', params: TokenPath } as const
  page(app, {
    ...link,
    method: 'GET',
    id: 'unsubscribePage',
    summary: 'Show the page that ends a kind of email',
    description: 'Changes nothing: mail programs open every link.',
    produces: 'text/html',
    success: [200, Type.String()],
    run: async (_, { params }) => {
      const { category } = readToken(services, params.token)
      const button = html`<form method="post"><button type="submit">Unsubscribe</button></form>`
      return htmlPage(layout('Unsubscribe', card(`No more emails about ${category}?`, button)), {
        policy: { 'form-action': "'self'" },
      })
    },
  })
  command(app, {
    ...link,
    method: 'POST',
    id: 'unsubscribe',
    summary: 'End a kind of email by the link in it',
    description: 'The one-click unsubscription of RFC 8058: it needs no sign-in, and the body is ignored.',
    ignoreForm: true,
    success: [
      200,
      Type.Object({
        ok: Type.Boolean({ description: 'Always true' }),
        category: Type.String({ description: 'Kind of emails that no longer come' }),
      }),
    ],
    run: async (tx, _, { params, http }) => {
      const { accountId, category } = readToken(services, params.token)
      await changePreferences(tx, accountId, { [category]: { email: false } })
      const text = `You receive no more emails about ${category}.`
      if (/\btext\/html\b/.test(http.headers.accept ?? ''))
        return htmlPage(layout('Unsubscribed', card('Unsubscribed', html`<p>${text}</p>`)))
      return { ok: true, category }
    },
  })
}
