import { Type } from '#platform/http/type'
import type { Dialer } from '#platform/adapters/egress/dialer'
import { command, query, type App } from '#platform/http/operations'
import { Id, Moment, named, Nullable, PageOf, pageOf, PageQuery } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { EventTypeName } from '../events/view.ts'
import { AgentPath } from '../stream/routes.ts'
import { DELIVERY_STATES } from './delivery-machine.ts'
import {
  deleteWebhook,
  readDeliveries,
  readWebhook,
  replayDelivery,
  requireReachable,
  rotateSecret,
  setWebhook,
  webhookView,
} from './endpoint.ts'

const MaybeMoment = Nullable(Moment)
const FIELDS = {
  agentId: { ...Id, description: 'Id of the agent' },
  url: Type.String({
    format: 'uri',
    description: 'Where the events are sent',
    examples: ['https://example.com/hooks'],
  }),
  events: Nullable(Type.Array(EventTypeName, { description: 'Types of events that are sent; null for all' })),
  status: Type.Enum(['ENABLED', 'DISABLED'], {
    description: 'DISABLED after too many failures, until it is set again',
  }),
  disabledAt: { ...MaybeMoment, description: 'When it was disabled; null while it is enabled' },
  lastSuccessAt: { ...MaybeMoment, description: 'When an event was delivered last; null before the first' },
  createdAt: Moment,
  updatedAt: Moment,
}
const Webhook = named('AgentWebhook', Type.Object(FIELDS))
const WebhookWithSecret = named(
  'AgentWebhookWithSecret',
  Type.Object({
    ...FIELDS,
    secret: Nullable(Type.String({ description: 'Shown once; null if the agent has a secret already' })),
  }),
)
const WebhookSecret = named(
  'AgentWebhookSecret',
  Type.Object({
    secret: Type.String({ minLength: 1, description: 'Shown once' }),
    previousSecretValidUntil: {
      ...MaybeMoment,
      description: 'Until when events are signed with the old secret too; null without one',
    },
  }),
)
const DeliveryState = Type.Enum([...DELIVERY_STATES], { description: 'State of a delivery' })
const Delivery = named(
  'AgentWebhookDelivery',
  Type.Object({
    id: { ...Id, description: 'Id of the delivery (UUIDv7)' },
    eventId: Type.String({ minLength: 1, description: 'Header webhook-id' }),
    type: EventTypeName,
    subjectId: { ...Id, description: 'Id of the object that the event is about' },
    status: DeliveryState,
    attempts: Type.Integer({ minimum: 0, description: 'How often it was sent' }),
    lastAttemptAt: { ...MaybeMoment, description: 'When it was sent last; null before' },
    responseStatus: Nullable(
      Type.Integer({
        minimum: 100,
        maximum: 599,
        description: 'HTTP status of the last response; null without one',
      }),
    ),
    error: Nullable(
      Type.String({ minLength: 1, description: 'Why the last attempt failed; null otherwise' }),
    ),
    errorCode: Nullable(
      Type.String({
        minLength: 1,
        examples: ['unreachable'],
        description:
          'Kind of that error where no response came: private_address, port, dns, unreachable, timeout or bad_url; otherwise null',
      }),
    ),
    nextAttemptAt: { ...MaybeMoment, description: 'When it is sent next; null if it is not' },
    createdAt: Moment,
    endedAt: { ...MaybeMoment, description: 'When it was delivered or given up; null before' },
  }),
)
const DeliveryPage = named(
  'AgentWebhookDeliveryPage',
  Type.Object({
    ...PageOf(Delivery).properties,
    webhook: { ...Nullable(Webhook), description: 'Where they are sent; null without a webhook' },
  }),
)
const WebhookBody = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2000, description: 'https, without credentials' }),
  events: Type.Optional(Nullable(Type.Array(EventTypeName, { maxItems: 50, description: 'All by default' }))),
})
const DeliveryPath = Type.Object({ ...AgentPath.properties, deliveryId: Type.String({ maxLength: 200 }) })

const common = { tag: 'Agents', params: AgentPath } as const
const read = { ...common, method: 'GET', access: { accept: ['jwt', 'sk'], scope: 'agent:read' } } as const
const write = { ...common, access: { accept: ['jwt', 'sk'], scope: 'agent:write' } } as const

/** The endpoint of an agent, for its owner. */
export function webhookRoutes(app: App, services: Services, dialer: Dialer): void {
  query(app, {
    ...read,
    url: '/agents/{id}/webhook',
    id: 'getAgentWebhook',
    summary: 'Get the webhook of an agent',
    success: [200, Webhook],
    run: async (q, ctx, { params }) => webhookView(await readWebhook(q, ctx, params.id)),
  })
  command(app, {
    ...write,
    method: 'PUT',
    url: '/agents/{id}/webhook',
    id: 'setAgentWebhook',
    summary: 'Set the webhook of an agent',
    body: WebhookBody,
    example: { url: 'https://agent.example.com/events', events: ['negotiation.created', 'deal.funded'] },
    success: [200, WebhookWithSecret],
    prepare: (_, { body }) => requireReachable(services, dialer, body.url),
    run: async (tx, ctx, { params, body }) => {
      const { row, secret } = await setWebhook(tx, services, ctx, { agentId: params.id, ...body })
      return { ...webhookView(row), secret }
    },
  })
  command(app, {
    ...write,
    method: 'DELETE',
    url: '/agents/{id}/webhook',
    id: 'deleteAgentWebhook',
    summary: 'Delete the webhook of an agent',
    success: 204,
    run: (tx, ctx, { params }) => deleteWebhook(tx, ctx, params.id),
  })
  command(app, {
    ...write,
    method: 'POST',
    url: '/agents/{id}/webhook/rotate-secret',
    id: 'rotateAgentWebhookSecret',
    summary: 'Rotate the webhook secret of an agent',
    success: [200, WebhookSecret],
    run: (tx, ctx, { params }) => rotateSecret(tx, services, ctx, params.id),
  })
  deliveryRoutes(app)
}

function deliveryRoutes(app: App): void {
  query(app, {
    ...read,
    url: '/agents/{id}/webhook/deliveries',
    id: 'listAgentWebhookDeliveries',
    summary: 'List the webhook deliveries of an agent',
    query: Type.Object({ status: Type.Optional(DeliveryState), ...PageQuery }),
    success: [200, DeliveryPage],
    snapshot: true,
    run: (q, ctx, { params, query: { status, ...page } }) =>
      readDeliveries(q, ctx, { agentId: params.id, status }, pageOf(page)),
  })
  command(app, {
    ...write,
    method: 'POST',
    url: '/agents/{id}/webhook/deliveries/{deliveryId}/replay',
    id: 'replayAgentWebhookDelivery',
    summary: 'Send the event of a webhook delivery again',
    params: DeliveryPath,
    errors: [409],
    success: [201, Delivery],
    run: (tx, ctx, { params: { id, deliveryId } }) => replayDelivery(tx, ctx, { agentId: id, deliveryId }),
  })
}
