import { Type } from '#platform/http/type'
import { command, commandInSteps, query, type App } from '#platform/http/operations'
import { Moment } from '#platform/http/schema'
import type { Loop } from '#platform/kernel/background/loop'
import type { Services } from '#platform/kernel/services'
import { createSamples } from './samples.ts'
import { checkoutRoutes } from './checkout.ts'
import { advanceClock, clockView } from './clock.ts'
import { mailRoutes } from './mail.ts'
import { onboardingRoutes } from './onboarding.ts'
import { verifierPages } from './pages.ts'
import { processorRoutes } from './processor-routes.ts'
import { providerRoutes } from './provider-routes.ts'

const tag = 'Sandbox'
const DECADE_SECONDS = 10 * 366 * 86_400

const ClockView = { now: Moment, offsetSeconds: Type.Number({ description: 'How far ahead of real time' }) }
/** What a trial needs of the outside world; none of it exists in production mode. */
export function sandboxRoutes(app: App, services: Services, worker: Loop): void {
  clockRoutes(app, services)
  processorRoutes(app, services)
  providerRoutes(app, services)
  checkoutRoutes(app, services)
  onboardingRoutes(app, services)
  mailRoutes(app, services)
  verifierPages(app)
  sampleRoutes(app, worker)
}

function sampleRoutes(app: App, worker: Loop): void {
  command(app, {
    method: 'POST',
    url: '/sandbox/samples',
    id: 'createSampleAgents',
    tag,
    summary: 'List sample agents',
    description:
      'Lists agents that respond to offers and deliver by themselves, a few seconds after the payment. Repeated, it ' +
      'creates none.',
    access: 'public',
    errors: [400],
    success: [
      201,
      Type.Object({ created: Type.Integer({ description: 'How many were listed', examples: [6] }) }),
    ],
    run: async tx => {
      const listed = await createSamples(tx)
      worker.start()
      return listed
    },
  })
}

function clockRoutes(app: App, services: Services): void {
  query(app, {
    method: 'GET',
    url: '/sandbox/clock',
    id: 'getSandboxClock',
    tag,
    summary: 'Get the business time',
    access: 'public',
    databaseFree: true,
    success: [200, Type.Object(ClockView)],
    run: async () => clockView(services),
  })
  commandInSteps(app, {
    method: 'POST',
    url: '/sandbox/clock/advance',
    id: 'advanceSandboxClock',
    tag,
    summary: 'Advance the business time',
    access: { accept: ['jwt'], role: 'ADMIN' },
    description:
      'Responds when everything that fell due has run, in order. Sessions, tokens and limits follow real time.',
    body: Type.Object({
      seconds: Type.Number({
        exclusiveMinimum: 0,
        maximum: DECADE_SECONDS,
        description: 'How far to advance, in seconds',
      }),
    }),
    example: { seconds: 86_400 },
    success: [
      200,
      Type.Object({
        ...ClockView,
        ran: Type.Integer({ description: 'Deadlines that were served', minimum: 0 }),
      }),
    ],
    run: (_db, _ctx, { body }) => advanceClock(services, body.seconds),
  })
}
