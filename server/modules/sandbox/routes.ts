import { Type } from 'typebox'
import { sandboxProcessor } from '#payments'
import { invalid } from '#platform/fault'
import { route, type App } from '#platform/http/route'
import { Moment } from '#platform/http/schema'
import type { Services } from '#platform/services'
import { checkoutRoutes } from './checkout.ts'
import { advanceClock, clockView } from './clock.ts'
import { mailRoutes } from './mail.ts'
import { verifierPages } from './pages.ts'

const tag = 'Sandbox'
const DECADE_SECONDS = 10 * 366 * 86_400

const ClockView = { now: Moment, offsetSeconds: Type.Number({ description: 'How far ahead of real time' }) }
const Emit = Type.Object({
  type: Type.String({ minLength: 1, maxLength: 200 }),
  data: Type.Object({}, { additionalProperties: true, description: 'The event\'s data, or its object alone' }),
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  copies: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'How many times the same event is sent' })),
})
const Outage = Type.Object({
  kind: Type.Union([Type.Literal('not_reached'), Type.Literal('answer_lost')], {
    description: 'not_reached does nothing, answer_lost does what was asked; neither answers',
  }),
  count: Type.Integer({ minimum: 0, maximum: 10_000, description: 'How many of the next calls to the processor' }),
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000, description: 'How long a call waits before its connection breaks' })),
  silent: Type.Optional(Type.Boolean({ description: 'Whether what was done is never notified either' })),
})
const Emitted = Type.Object({ id: Type.String(), type: Type.String(), copies: Type.Integer(), delivered: Type.Boolean() })

/** What a trial needs of the outside world; none of it exists in production mode. */
export function sandboxRoutes(app: App, services: Services): void {
  clockRoutes(app, services)
  processorRoutes(app, services)
  outageRoute(app, services)
  checkoutRoutes(app, services)
  mailRoutes(app, services)
  verifierPages(app)
}

function clockRoutes(app: App, services: Services): void {
  route(app, {
    method: 'GET', url: '/sandbox/clock', id: 'getSandboxClock', tag, summary: 'Get the business time', auth: 'none', steady: true,
    reply: { 200: Type.Object(ClockView) }, handle: async () => clockView(services),
  })
  route(app, {
    method: 'POST', url: '/sandbox/clock/advance', id: 'advanceSandboxClock', tag, summary: 'Advance the business time', auth: 'admin',
    description: 'Responds when everything that fell due has run, in order. Sessions, tokens and limits follow real time.',
    body: Type.Object({ seconds: Type.Number({ exclusiveMinimum: 0, maximum: DECADE_SECONDS }) }), example: { seconds: 86_400 },
    reply: { 200: Type.Object({ ...ClockView, ran: Type.Integer({ description: 'Deadlines served' }) }) },
    handle: async ({ body }) => advanceClock(services, body.seconds),
  })
}

function processorRoutes(app: App, services: Services): void {
  route(app, {
    method: 'POST', url: '/sandbox/processor/events', id: 'emitProcessorEvent', tag, summary: 'Send a signed processor event to the webhooks',
    auth: 'admin', body: Emit, example: { type: 'payment_intent.succeeded', data: { object: { id: 'pi_1' } }, copies: 2 }, reply: { 201: Emitted },
    handle: async ({ body: { type, data, delayMs, copies = 1 } }) => {
      const { object = data } = data as { object?: unknown }
      if (!isRecord(object)) throw invalid('data.object must be an object')
      return { ...await sandboxProcessor(services).emit({ type, object, delayMs, copies }), type, copies }
    },
  })
}

function outageRoute(app: App, services: Services): void {
  route(app, {
    method: 'POST', url: '/sandbox/processor/faults', id: 'breakProcessor', tag, auth: 'admin',
    summary: 'Make the next calls to the processor fail',
    description: 'For trying an outage: the next calls to the processor get no response, whether or not they took effect.',
    body: Outage, example: { kind: 'answer_lost', count: 1 },
    reply: { 201: Type.Object({ kind: Type.String(), count: Type.Integer() }) },
    handle: async ({ body }) => {
      await sandboxProcessor(services).break(body)
      return { kind: body.kind, count: body.count }
    },
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
