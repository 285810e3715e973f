import { Type } from '#platform/http/type'
import { command, page, query, type App } from '#platform/http/operations'
import { html } from '#platform/http/page/html'
import { card, htmlPage, layout } from '#platform/http/page/layout'
import { named } from '#platform/http/schema'
import type { Queryable, Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { preferencesOf, setPreferences, unsubscribe, type Preferences } from './sql.ts'
import { readToken } from './unsubscribe.ts'

const OFFERS = 'Offers, counteroffers and their acceptance'
const PROGRESS = 'Deliveries and requests for changes'
const DEADLINES = 'A delivery is due tomorrow'
const Wanted = named(
  'NotificationPreferences',
  Type.Object({
    offers: Type.Boolean({ description: OFFERS }),
    progress: Type.Boolean({ description: PROGRESS }),
    deadlines: Type.Boolean({ description: DEADLINES }),
    money: Type.Boolean({ description: 'Always true: payments, refunds, disputes and security' }),
  }),
)
const WantedBody = Type.Object({
  offers: Type.Optional(Type.Boolean({ description: OFFERS })),
  progress: Type.Optional(Type.Boolean({ description: PROGRESS })),
  deadlines: Type.Optional(Type.Boolean({ description: DEADLINES })),
})
const TokenPath = Type.Object({ token: Type.String({ maxLength: 200 }) })

const ALL: Preferences = { offers: true, progress: true, deadlines: true }
const read = async (q: Queryable, accountId: string): Promise<Preferences> => ({
  ...ALL,
  ...(await q.maybe(preferencesOf(accountId))),
})

async function change(tx: Tx, accountId: string, wanted: Partial<Preferences>): Promise<Preferences> {
  const changed = { ...(await read(tx, accountId)), ...wanted }
  await tx.run(setPreferences(accountId, changed, tx.clock.real()))
  return changed
}

const common = { tag: 'Account', url: '/users/me/notifications', access: { accept: ['jwt'] } } as const

/** Which mails a person wants, and the link in each mail. */
export function preferenceRoutes(app: App, services: Services): void {
  query(app, {
    ...common,
    method: 'GET',
    id: 'getNotificationPreferences',
    summary: 'Get which emails about deals you receive',
    description: 'Mails about money and security are always sent.',
    success: [200, Wanted],
    run: async (q, { principal }) => ({ ...(await read(q, principal.accountId)), money: true }),
  })
  command(app, {
    ...common,
    method: 'PATCH',
    id: 'setNotificationPreferences',
    summary: 'Choose which emails about deals you receive',
    description: 'Changes the fields that are given. Mails about money and security are always sent.',
    body: WantedBody,
    example: { offers: false },
    success: [200, Wanted],
    run: async (tx, { principal }, { body }) => ({
      ...(await change(tx, principal.accountId, body)),
      money: true,
    }),
  })
  unsubscribeRoutes(app, services)
}

function unsubscribeRoutes(app: App, services: Services): void {
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
    success: [200, Type.Object({ ok: Type.Boolean(), category: Type.String() })],
    run: async (tx, _, { params, http }) => {
      const { accountId, category } = readToken(services, params.token)
      await tx.run(unsubscribe(accountId, category, tx.clock.real()))
      const text = `You receive no more emails about ${category}.`
      if (/\btext\/html\b/.test(http.headers.accept ?? ''))
        return htmlPage(layout('Unsubscribed', card('Unsubscribed', html`<p>${text}</p>`)))
      return { ok: true, category }
    },
  })
}
