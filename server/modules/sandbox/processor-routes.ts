import { Type } from '#platform/http/type'
import { sandboxProcessor } from '#payments'
import { invalid } from '#platform/kernel/errors'
import { formatMoney, fromCents } from '#platform/kernel/money'
import { commandInSteps, type App } from '#platform/http/operations'
import { Moment, Money, named, Nullable } from '#platform/http/schema'
import type { Services } from '#platform/kernel/services'
import { isRecord } from '#platform/kernel/unknown'

const common = { method: 'POST', tag: 'Sandbox', access: { accept: ['jwt'], role: 'ADMIN' } } as const

const Emit = Type.Object({
  type: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Type of the event in the terms of the processor',
  }),
  data: Type.Object(
    {},
    {
      additionalProperties: true,
      maxProperties: 1000,
      description: "The event's data, or its object alone",
    },
  ),
  delayMs: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 60_000, description: 'Milliseconds until it is sent' }),
  ),
  copies: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'How many times the same event is sent' }),
  ),
})
const Outage = Type.Object({
  kind: Type.Union([Type.Literal('not_reached'), Type.Literal('answer_lost')], {
    description:
      'not_reached: the call has no effect; answer_lost: it takes effect. Both leave the caller without a response',
  }),
  count: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'How many of the next calls to the processor',
  }),
  delayMs: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60_000,
      description: 'How long a call waits before its connection breaks',
    }),
  ),
  silent: Type.Optional(Type.Boolean({ description: 'Whether the notification is withheld too' })),
})
const Emitted = Type.Object({
  id: Type.String({ description: 'Id of the event' }),
  type: Type.String({ description: 'Type of the event' }),
  copies: Type.Integer({ minimum: 1, description: 'How many times it is sent' }),
  delivered: Type.Boolean({ description: 'Whether the service took it; false if it is sent later' }),
})
const Dispute = named(
  'SandboxDispute',
  Type.Object({
    id: Type.String({
      pattern: '^du_',
      examples: ['du_1'],
      description: 'Id of the dispute at the processor',
    }),
    paymentIntentId: Type.String({
      pattern: '^pi_',
      examples: ['pi_1'],
      description: 'Id of the payment at the processor',
    }),
    status: Type.Union(
      [
        Type.Literal('needs_response'),
        Type.Literal('under_review'),
        Type.Literal('won'),
        Type.Literal('lost'),
      ],
      { description: 'State of the dispute at the processor' },
    ),
    reason: Type.String({ minLength: 1, examples: ['fraudulent'], description: 'Reason that the bank gave' }),
    amount: { ...Money, description: 'Disputed amount in `currency`' },
    fee: { ...Money, description: 'Fee of the processor in `currency`' },
    currency: Type.String({ pattern: '^[A-Z]{3}$', examples: ['USD'], description: 'ISO 4217' }),
    respondBy: Nullable({
      ...Moment,
      description: 'Until when evidence can be sent; null without a deadline',
    }),
  }),
)

/** What an admin makes the simulated processor do. */
export function processorRoutes(app: App, services: Services): void {
  eventRoute(app, services)
  outageRoute(app, services)
  disputeRoutes(app, services)
}

function eventRoute(app: App, services: Services): void {
  commandInSteps(app, {
    ...common,
    url: '/sandbox/processor/events',
    id: 'emitProcessorEvent',
    summary: 'Send a signed processor event to the webhooks',
    body: Emit,
    example: { type: 'payment_intent.succeeded', data: { object: { id: 'pi_1' } }, copies: 2 },
    success: [201, Emitted],
    run: async (_db, _ctx, { body: { type, data, delayMs, copies = 1 } }) => {
      const { object = data } = data as { object?: unknown }
      if (!isRecord(object)) throw invalid('data.object must be an object')
      return { ...(await sandboxProcessor(services).emit({ type, object, delayMs, copies })), type, copies }
    },
  })
}

function outageRoute(app: App, services: Services): void {
  commandInSteps(app, {
    ...common,
    url: '/sandbox/processor/faults',
    id: 'breakProcessor',
    summary: 'Make the next calls to the processor fail',
    description:
      'For trying an outage: the next calls to the processor get no response, whether or not they took effect.',
    body: Outage,
    example: { kind: 'answer_lost', count: 1 },
    success: [
      201,
      Type.Object({
        kind: Type.String({ description: 'What happens to the calls' }),
        count: Type.Integer({ minimum: 0, description: 'How many of the next calls' }),
      }),
    ],
    run: async (_db, _ctx, { body }) => {
      await sandboxProcessor(services).break(body)
      return { kind: body.kind, count: body.count }
    },
  })
}

function disputeRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    ...common,
    url: '/sandbox/processor/disputes',
    id: 'openSandboxDispute',
    summary: 'Dispute a card payment',
    description:
      'The bank of the card holder takes the money back. Responds when the signed event `charge.dispute.created` was sent once.',
    body: Type.Object({
      paymentIntentId: Type.String({
        minLength: 1,
        maxLength: 255,
        examples: ['pi_1'],
        description: 'Id of the payment at the processor',
      }),
      reason: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          examples: ['fraudulent'],
          description: 'Reason of the bank; general by default',
        }),
      ),
    }),
    example: { paymentIntentId: 'pi_1', reason: 'product_not_received' },
    errors: [404, 409],
    success: [201, Dispute],
    run: async (_db, _ctx, { body: { paymentIntentId, reason } }) =>
      disputeView(await sandboxProcessor(services).openDispute(paymentIntentId, reason)),
  })
  commandInSteps(app, {
    ...common,
    url: '/sandbox/processor/disputes/{id}/close',
    id: 'closeSandboxDispute',
    summary: 'Decide a dispute of a card payment',
    description:
      'Responds when the signed event `charge.dispute.closed` was sent once. A dispute that has ended the other way is 409.',
    params: Type.Object({ id: Type.String({ maxLength: 255, examples: ['du_1'] }) }),
    body: Type.Object({ won: Type.Boolean({ description: 'Whether the money comes back to the service' }) }),
    example: { won: true },
    errors: [404, 409],
    success: [200, Dispute],
    run: async (_db, _ctx, { params: { id }, body: { won } }) =>
      disputeView(await sandboxProcessor(services).closeDispute(id, won ? 'won' : 'lost')),
  })
}

type Opened = Awaited<ReturnType<ReturnType<typeof sandboxProcessor>['openDispute']>>

const disputeView = ({ disputeId, processorId, state, cents, feeCents, ...rest }: Opened) => ({
  id: disputeId,
  paymentIntentId: processorId,
  status: state,
  reason: rest.reason,
  amount: formatMoney(fromCents(cents)),
  fee: formatMoney(fromCents(feeCents)),
  currency: rest.currency,
  respondBy: rest.respondBy?.toISOString() ?? null,
})
