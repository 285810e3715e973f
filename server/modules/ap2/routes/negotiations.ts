import { MICRO } from '#platform/money'
import { route, type App } from '#platform/http/route'
import { PageOf, pageOf } from '#platform/http/schema'
import { once } from '#platform/idempotency'
import type { Services } from '#platform/services'
import { requireUsableSchema } from '../acceptance.ts'
import { negotiationAnswer, negotiationPage } from '../answers.ts'
import { inboxOf, listNegotiations } from '../lists.ts'
import { cancelNegotiation, negotiate, startWork } from '../negotiation.ts'
import { respond } from '../respond.ts'
import { IdPath, Negotiation, NegotiateBody, NegotiationQuery, NegotiationRef, Paging, RespondBody } from '../schema.ts'

const tag = 'Marketplace protocol endpoints'

export function negotiationRoutes(app: App, services: Services): void {
  const { db, config, schemas } = services
  const rules = { tierLimit: BigInt(config.BASIC_TIER_LIMIT_USD) * MICRO }
  const write = { method: 'POST', tag, auth: 'agent', scope: 'ap2:negotiate', idempotent: true, reply: { 201: Negotiation } } as const

  route(app, {
    ...write, url: '/ap2/negotiate', id: 'negotiate', summary: 'Offer a deal to an agent', body: NegotiateBody,
    errors: [404],
    description: 'Name a service, a budget and the agent (`responderAgentId` or `responderSlug`); the agent accepts, counters or '
      + 'rejects within 72 hours. A human buyer needs no agent. 400 `Agent not published` if the agent cannot be hired. '
      + 'Next: wait until the status is ACCEPTED, then `POST /payments/ap2/initiate`.',
    example: { responderSlug: 'scribe', requestedService: 'Release notes for version 2', budget: 100 },
    handle: async ({ actor, body, request, reply }) => {
      await requireUsableSchema(schemas, actor.accountId, body.requirements)
      return once(db, request, reply, async tx => negotiationAnswer(tx, actor, await negotiate(tx, actor, body, rules), tx.now))
    },
  })
  route(app, {
    ...write, url: '/ap2/respond', id: 'respondToNegotiation', summary: 'Accept, counter or reject an offer', body: RespondBody,
    description: 'ACCEPTED takes the current price; COUNTERED proposes another one, in at most 10 rounds; REJECTED ends the '
      + 'negotiation. An outdated `round` or price is 409. Next for the buyer: `POST /payments/ap2/initiate`.',
    example: { negotiationId: '0198c0de-0000-7000-8000-000000000001', status: 'ACCEPTED' },
    handle: async ({ actor, body, request, reply }) => once(db, request, reply, async tx => {
      await respond(tx, actor, body, rules)
      return negotiationAnswer(tx, actor, body.negotiationId, tx.now)
    }),
  })
  route(app, {
    ...write, url: '/ap2/start', id: 'startNegotiation', summary: 'Start work on a deal', body: NegotiationRef,
    scope: 'ap2:execute',
    handle: async ({ actor, body, request, reply }) => once(db, request, reply, async tx => {
      await startWork(tx, actor, body.negotiationId)
      return negotiationAnswer(tx, actor, body.negotiationId, tx.now)
    }),
  })
  route(app, {
    ...write, url: '/ap2/cancel', id: 'cancelNegotiation', summary: 'Cancel an offer or a funded deal',
    body: NegotiationRef,
    description: 'For the buyer, until the seller starts. Held funds return to the wallet that paid.',
    handle: async ({ actor, body, request, reply }) => once(db, request, reply, async tx => {
      await cancelNegotiation(tx, actor, body.negotiationId)
      return negotiationAnswer(tx, actor, body.negotiationId, tx.now)
    }),
  })
  readRoutes(app, services)
}

function readRoutes(app: App, { db }: Services): void {
  route(app, {
    method: 'GET', url: '/ap2/negotiations/{id}', id: 'getNegotiation', tag, summary: 'Get a negotiation with its escrow',
    // An unknown one is a 400, as the interface has it.
    never: [404], auth: 'agent', scope: 'agent:read', params: IdPath, reply: { 200: Negotiation },
    handle: async ({ actor, params }) => db.snapshot(q => negotiationAnswer(q, actor, params.id, q.now)),
  })
  route(app, {
    method: 'GET', url: '/ap2/negotiations', id: 'listNegotiations', tag,
    summary: 'List your negotiations', auth: 'agent', scope: 'agent:read', query: NegotiationQuery,
    reply: { 200: PageOf(Negotiation) }, errors: [404],
    handle: async ({ actor, query }) =>
      db.snapshot(async q => negotiationPage(q, actor, await listNegotiations(q, actor, query, pageOf(query)), query)),
  })
  route(app, {
    method: 'GET', url: '/agents/{id}/inbox', id: 'getAgentInbox', tag: 'Agents', summary: 'List what waits for an agent',
    auth: 'agent', scope: 'agent:read', params: IdPath, query: Paging,
    description: 'Offers to respond to, deals to fund, work to do and deliveries to check. Poll it to learn of new work.',
    reply: { 200: PageOf(Negotiation) },
    handle: async ({ actor, params, query }) =>
      db.snapshot(async q => negotiationPage(q, actor, await inboxOf(q, actor, params.id, pageOf(query)), query)),
  })
}
