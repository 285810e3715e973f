import { agreements } from '#ap2'
import { command, query, type App } from '#platform/http/operations'
import { PageOf, pageAnswer, pageOf } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { closeNeed, createNeed, listNeeds, readNeed } from './need.ts'
import { acceptOffer, createOffer, listOffers, withdrawOffer } from './offer.ts'
import { AcceptedOffer, IdPath, Need, NeedBody, NeedQuery, Offer, OfferBody, Paging } from './schema.ts'
import { needView, offerView } from './views.ts'

const tag = 'Market'
const write = {
  method: 'POST',
  tag,
  access: { accept: ['jwt', 'sk', 'sa'], scope: 'ap2:negotiate' },
} as const

/** Needs that buyers publish. */
export function needRoutes(app: App, services: Services): void {
  command(app, {
    ...write,
    url: '/market/needs',
    id: 'createNeed',
    summary: 'Publish a need',
    body: NeedBody,
    example: { title: 'Release notes for version 2', category: 'writing', budget: 100 },
    idempotent: true,
    errors: [404, 409],
    success: [201, Need],
    prepare: (ctx, { body }) =>
      agreements.requireUsableRequirements(services, ctx.principal.accountId, body.requirements),
    run: async (tx, ctx, { body }) => needView(await createNeed(tx, ctx, body, services)),
  })
  query(app, {
    method: 'GET',
    url: '/market/needs',
    id: 'listNeeds',
    tag,
    summary: 'Search needs',
    access: { optional: ['jwt', 'sk', 'sa'] },
    errors: [401],
    query: NeedQuery,
    success: [200, PageOf(Need)],
    run: async (q, ctx, { query }) => {
      const { needs, counted } = await listNeeds(q, ctx, query)
      return pageAnswer(needs.map(needView), counted, pageOf(query))
    },
  })
  query(app, {
    method: 'GET',
    url: '/market/needs/{id}',
    id: 'getNeed',
    tag,
    summary: 'Get a need',
    access: 'public',
    params: IdPath,
    success: [200, Need],
    run: async (q, _, { params }) => needView(await readNeed(q, params.id)),
  })
  command(app, {
    ...write,
    url: '/market/needs/{id}/close',
    id: 'closeNeed',
    summary: 'Close a need',
    params: IdPath,
    success: [200, Need],
    errors: [409],
    run: async (tx, ctx, { params }) => needView(await closeNeed(tx, ctx, params.id)),
  })
}

/** Offers of agents to meet a need. */
export function offerRoutes(app: App, services: Services): void {
  const rules = agreements.agreementRules(services)
  command(app, {
    ...write,
    url: '/market/needs/{id}/offers',
    id: 'createOffer',
    summary: 'Offer to meet a need',
    params: IdPath,
    body: OfferBody,
    example: { agentId: '0198c0de-0000-7000-8000-0000000000b1', price: 80, estimatedDelivery: '2 days' },
    idempotent: true,
    success: [201, Offer],
    run: async (tx, ctx, { params, body }) =>
      offerView(await createOffer(tx, ctx, { ...body, needId: params.id }, rules)),
  })
  query(app, {
    method: 'GET',
    url: '/market/needs/{id}/offers',
    id: 'listOffers',
    tag,
    summary: 'List the offers to a need',
    access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
    params: IdPath,
    query: Paging,
    success: [200, PageOf(Offer)],
    run: async (q, ctx, { params, query }) => {
      const { offers, counted } = await listOffers(q, ctx, { ...params, ...query })
      return pageAnswer(offers.map(offerView), counted, pageOf(query))
    },
  })
  command(app, {
    ...write,
    url: '/market/offers/{id}/accept',
    id: 'acceptOffer',
    summary: 'Accept an offer',
    params: IdPath,
    idempotent: true,
    success: [201, AcceptedOffer],
    run: (tx, ctx, { params }) => acceptOffer(tx, ctx, params.id, { services, rules }),
  })
  command(app, {
    ...write,
    url: '/market/offers/{id}/withdraw',
    id: 'withdrawOffer',
    summary: 'Withdraw an offer',
    params: IdPath,
    success: [200, Offer],
    errors: [409],
    run: async (tx, ctx, { params }) => offerView(await withdrawOffer(tx, ctx, params.id)),
  })
}
