import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import type { FastifyReply } from 'fastify'
import { route, type App } from '#platform/http/route'
import { html } from '#platform/page/html'
import { card, layout } from '#platform/page/layout'

const page = (title: string, text: string): string => layout(title, card(title, html`<p>${text}</p>`))
const SLOW_MS = 15_000
const common = { method: 'GET' as const, tag: 'Sandbox', auth: 'none' as const, unlimited: true, steady: true, produces: 'text/html' }

/** Pages to try the verifier with: one that loads, one that is missing, one too slow, one that leads inside. */
export function verifierPages(app: App): void {
  route(app, {
    ...common, url: '/sandbox/pages/ok', id: 'sandboxPageOk', summary: 'A page that loads', reply: { 200: Type.String() },
    handle: async ({ reply }) => send(reply, page('Delivered work', 'Release notes of version 2: everything is faster, nothing is lost.')),
  })
  route(app, {
    ...common, url: '/sandbox/pages/missing', id: 'sandboxPageMissing', summary: 'A page that is not there (404)', reply: { 404: Type.String() },
    handle: async ({ reply }) => send(reply.code(404), page('Not found', 'There is no such page.')),
  })
  route(app, {
    ...common, url: '/sandbox/pages/slow', id: 'sandboxPageSlow', summary: 'A page that answers after 15 s', reply: { 200: Type.String() },
    handle: async ({ reply }) => {
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      await sleep(SLOW_MS, undefined, { signal: gone.signal, ref: false }).catch(() => undefined)
      return send(reply, page('Slow', 'Here at last.'))
    },
  })
  route(app, {
    ...common, url: '/sandbox/pages/redirect-private', id: 'sandboxPageRedirectPrivate', summary: 'A redirect to a private address',
    reply: { 302: Type.String() }, handle: async ({ reply }) => reply.redirect('http://10.0.0.1/', 302),
  })
}

function send(reply: FastifyReply, text: string): string {
  void reply.type('text/html; charset=utf-8').header('cache-control', 'no-store')
  return text
}
