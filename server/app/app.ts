import fastify, { LogController, type FastifyReply } from 'fastify'
import cookie from '@fastify/cookie'
import { MINUTE } from '#platform/kernel/clock'
import type { ConstraintError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { hook } from '#platform/http/hook'
import type { App } from '#platform/http/operation'
import type { Services } from '#platform/kernel/services'
import { credentials } from '#identity'
import { docsRoutes } from './docs/install.ts'
import { installAccess, installAuth, type Authenticate } from './http/auth.ts'
import { installBodies } from './http/body.ts'
import { installCookieSessions } from './http/cookie-session.ts'
import { installCors } from './http/cors.ts'
import { installErrors, sendFrameworkError } from './http/errors.ts'
import { installFailpoints } from './http/failpoints.ts'
import { installHeaders } from './http/headers.ts'
import { healthRoutes } from './health.ts'
import { installHostCheck } from './http/host.ts'
import { RequestLimits } from './http/limits.ts'
import type { LedgerMonitor } from './ledger-monitor.ts'
import type { RunningModule } from './modules.ts'
import { metricsRoute } from './metrics.ts'
import { installNotFound } from './http/not-found.ts'
import { installOverload } from './http/overload.ts'
import { installProtocol, refuseMalformed } from './http/protocol.ts'
import { installOpenapi, openapiRoutes } from './openapi/install.ts'
import { installRequestLog } from './http/request-log.ts'
import { installSerialization } from './http/serialization.ts'
import { installValidation } from './http/validation.ts'

const MEBIBYTE = 1024 * 1024
const REQUEST_ID = /^[\w.:-]{1,64}$/

/** Sees each route when it is registered, for tools that list them. */
export type OnRoute = (route: {
  method: string | string[]
  url: string
  config?: { registeredAt?: string }
}) => void

export interface Parts {
  modules: readonly RunningModule[]
  monitor: LedgerMonitor
  authenticate: Authenticate
}

/** The whole HTTP surface over `services`; connects to nothing by itself, so that the OpenAPI document needs no database. */
export async function createApp(
  services: Services,
  { modules, monitor, authenticate }: Parts,
  onRoute?: OnRoute,
): Promise<App> {
  const app: App = fastify({
    loggerInstance: services.log,
    // Checked by installProtocol, so that a request without it gets the envelope.
    http: { requireHostHeader: false },
    clientErrorHandler: refuseMalformed(services.log),
    // One line a request, written by our own hook, with the token parts of its address masked.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    // Requests on open connections are served to the end while stopping, with Connection: close.
    return503OnClosing: false,
    bodyLimit: MEBIBYTE,
    // For the request to come whole; an answer may take longer.
    requestTimeout: MINUTE,
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    trustProxy: services.config.TRUSTED_PROXIES.length ? services.config.TRUSTED_PROXIES : false,
    genReqId: request => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId()
    },
    frameworkErrors: (error, request, reply) => {
      sendFrameworkError((reply as FastifyReply).header('x-request-id', request.id), error)
    },
  }) as unknown as App
  if (onRoute) app.addHook('onRoute', onRoute)
  installErrors(app, constraintsOf(modules))
  installNotFound(app)
  installHeaders(app, services)
  installBodies(app)
  app.addHook(
    'onRequest',
    hook((request, reply) => void reply.header('x-request-id', request.id)),
  )
  installRequestLog(app)
  installProtocol(app)
  installHostCheck(app, services)
  await app.register(cookie)
  installCookieSessions(app, services)
  await installCors(app, services.config.CORS_ORIGINS)
  installOverload(app, services)
  const limits = new RequestLimits(services)
  limits.installBefore(app)
  installAuth(app, authenticate)
  limits.installAfter(app)
  installAccess(app, (ctx, operation) => credentials.auditRefusedAdmin(services, ctx, operation))
  installValidation(app)
  installSerialization(app)
  installOpenapi(app, services.publicUrl)
  installFailpoints(app, services.db.context)
  app.decorate('db', services.db)
  for (const { instance } of modules) instance.routes?.(app)
  healthRoutes(app, services)
  metricsRoute(app, services, { monitor, modules })
  docsRoutes(app, services, openapiRoutes(app))
  return app
}

function constraintsOf(modules: readonly RunningModule[]): Record<string, ConstraintError> {
  return Object.assign({}, ...modules.map(({ definition }) => definition.constraints)) as Record<
    string,
    ConstraintError
  >
}
