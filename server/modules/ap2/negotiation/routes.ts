import { rulesOf } from '../deal/tier.ts'
import { command, commandInSteps, query, type App } from '#platform/http/operations'
import { PageOf, pageOf } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { acceptanceIn, requireUsableSchemas } from '../deal/acceptance.ts'
import { negotiationAnswer, negotiationPage, negotiationViewFor } from '../views/responses.ts'
import { Inbox, readInbox } from '../views/inbox.ts'
import { listNegotiations } from '../views/lists.ts'
import { withReferral } from '../affiliation.ts'
import { cancelNegotiation } from './cancel.ts'
import { negotiate, startWork } from './negotiation.ts'
import { respond } from './respond.ts'
import { IdPath } from '../deal/schema.ts'
import {
  CancelBody,
  InboxQuery,
  Negotiation,
  NegotiateBody,
  NegotiationQuery,
  NegotiationRef,
  RespondBody,
} from './schema.ts'

const tag = 'Marketplace protocol endpoints'

/** What every command on a negotiation has. */
const write = {
  method: 'POST',
  tag,
  access: { accept: ['jwt', 'sk', 'sa'], scope: 'ap2:negotiate' },
  idempotent: true,
  success: [201, Negotiation],
} as const

export function negotiationRoutes(app: App, services: Services): void {
  const { schemas } = services
  const rules = rulesOf(services)
  command(app, {
    ...write,
    url: '/ap2/negotiate',
    id: 'negotiate',
    summary: 'Offer a deal to an agent',
    body: NegotiateBody,
    errors: [404],
    description:
      'Name a service, a budget and the agent (`responderAgentId` or `responderSlug`); the agent accepts, counters or ' +
      'rejects within 72 hours. A human buyer needs no agent. 400 `Agent not published` if the agent cannot be hired. ' +
      'Next: wait until the status is ACCEPTED, then `POST /payments/ap2/initiate`.',
    example: { responderSlug: 'scribe', requestedService: 'Release notes for version 2', budget: 100 },
    prepare: (ctx, { body: { requirements } }) =>
      requireUsableSchemas(schemas, ctx.principal.accountId, {
        requirements,
        acceptance: acceptanceIn(requirements),
        field: 'requirements.acceptance',
      }),
    run: async (tx, ctx, { body }) =>
      withReferral(tx, ctx, negotiationViewFor(ctx, await negotiate(tx, ctx, body, rules))),
  })
  command(app, {
    ...write,
    url: '/ap2/respond',
    id: 'respondToNegotiation',
    summary: 'Accept, counter or reject an offer',
    body: RespondBody,
    description:
      'ACCEPTED takes the current price; COUNTERED proposes another one, in at most 10 rounds; REJECTED ends the ' +
      'negotiation. An outdated `round` or price is 409. `acceptance` replaces the acceptance criteria. ' +
      'Next for the buyer: `POST /payments/ap2/initiate`.',
    example: { negotiationId: '0198c0de-0000-7000-8000-000000000001', status: 'ACCEPTED' },
    prepare: (ctx, { body: { acceptance } }) =>
      requireUsableSchemas(schemas, ctx.principal.accountId, { acceptance, field: 'acceptance' }),
    run: async (tx, ctx, { body }) => negotiationViewFor(ctx, await respond(tx, ctx, body, rules)),
  })
  workRoutes(app, services)
  readRoutes(app)
}

function workRoutes(app: App, { jobs }: Services): void {
  command(app, {
    ...write,
    url: '/ap2/start',
    id: 'startNegotiation',
    summary: 'Start work on a deal',
    body: NegotiationRef,
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'ap2:execute' },
    run: async (tx, ctx, { body }) => negotiationViewFor(ctx, await startWork(tx, ctx, body.negotiationId)),
  })
  command(app, {
    ...write,
    url: '/ap2/cancel',
    id: 'cancelNegotiation',
    summary: 'Cancel an offer or a deal',
    body: CancelBody,
    description:
      'For the buyer: an offer, an accepted deal that is not paid yet, or a funded deal until the seller starts. Held funds ' +
      'return to the wallet that paid, or with `to: "card"` to the card. 409 while a payment is under way; one that nobody has made yet ends.',
    run: async (tx, ctx, { body }) =>
      negotiationViewFor(ctx, await cancelNegotiation(tx, ctx, { ...body, jobs })),
  })
}

function readRoutes(app: App): void {
  query(app, {
    method: 'GET',
    url: '/ap2/negotiations/{id}',
    id: 'getNegotiation',
    tag,
    summary: 'Get a negotiation with its escrow',
    // An unknown one is a 400, as the interface has it.
    excludeErrors: [404],
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
    params: IdPath,
    success: [200, Negotiation],
    snapshot: true,
    run: (q, ctx, { params }) => negotiationAnswer(q, ctx, params.id, q.now),
  })
  query(app, {
    method: 'GET',
    url: '/ap2/negotiations',
    id: 'listNegotiations',
    tag,
    summary: 'List your negotiations',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
    query: NegotiationQuery,
    success: [200, PageOf(Negotiation)],
    errors: [404],
    snapshot: true,
    run: async (q, ctx, { query }) =>
      negotiationPage(q, ctx, await listNegotiations(q, ctx, query, pageOf(query)), query),
  })
  commandInSteps(app, {
    method: 'GET',
    url: '/agents/{id}/inbox',
    id: 'getAgentInbox',
    tag: 'Agents',
    summary: 'List the open tasks of an agent',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
    params: IdPath,
    query: InboxQuery,
    description:
      'Offers to respond to, deals to fund, work to do, deliveries to check, and in `runs` the runs to work on, which a ' +
      'key of the agent takes by asking, unless `take` is false. With `wait`, an empty inbox is answered when the first task arrives, or after ' +
      'that many seconds. `GET /agents/{id}/events` streams every event.',
    success: [200, Inbox],
    run: (db, ctx, { params, query, http }) =>
      readInbox(db, ctx, { agentId: params.id, query, closed: () => http.closed() }),
  })
}
