import fastify, { LogController, type FastifyReply } from 'fastify'
import cookie from '@fastify/cookie'
import { v7 } from 'uuid'
import { MINUTE } from '#platform/clock'
import type { FaultRow } from '#platform/fault'
import type { App } from '#platform/http/route'
import type { Module, Services } from '#platform/services'
import { noteRefusedAdmin } from '#identity'
import { installAccess, installAuth, type Authenticate } from './auth.ts'
import { installBodies } from './body.ts'
import { installCors } from './cors.ts'
import { installErrors, sendFrameworkError } from './errors.ts'
import { installHeaders } from './headers.ts'
import { healthRoutes } from './health.ts'
import { installHostCheck } from './host.ts'
import { RequestLimits } from './limits.ts'
import { modulesFor } from './modules.ts'
import { metricsRoute } from './metrics.ts'
import { installNotFound } from './not-found.ts'
import { installProtocol, refuseMalformed } from './protocol.ts'
import { installOpenapi, openapiRoutes } from './openapi/install.ts'
import { installRequestLog } from './request-log.ts'
import { installValidation } from './validation.ts'

const MEBIBYTE = 1024 * 1024
const REQUEST_ID = /^[\w.:-]{1,64}$/

/** Sees each route when it is registered, for tools that list them. */
export type OnRoute = (route: { method: string | string[]; url: string }) => void

/** The whole HTTP surface over `services`; connects to nothing by itself, so that the OpenAPI document needs no database. */
export async function createApp(services: Services, authenticate: Authenticate, onRoute?: OnRoute): Promise<App> {
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
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : v7()
    },
    frameworkErrors: (error, request, reply) => {
      sendFrameworkError((reply as FastifyReply).header('x-request-id', request.id), error)
    },
  }) as unknown as App
  if (onRoute) app.addHook('onRoute', onRoute)
  const modules = modulesFor(services.config)
  installErrors(app, constraintsOf(modules))
  installNotFound(app)
  installHeaders(app, services)
  installBodies(app)
  app.addHook('onRequest', async (request, reply) => { void reply.header('x-request-id', request.id) })
  installRequestLog(app)
  installProtocol(app)
  installHostCheck(app, services)
  await app.register(cookie)
  await installCors(app, services.config.CORS_ORIGINS)
  const limits = new RequestLimits(services)
  limits.installBefore(app)
  installAuth(app, authenticate)
  limits.installAfter(app)
  installAccess(app, (actor, request) => noteRefusedAdmin(services, actor, request))
  installValidation(app)
  await installOpenapi(app, services.publicUrl)
  for (const module of modules) module.routes(app, services)
  healthRoutes(app, services)
  metricsRoute(app, services)
  openapiRoutes(app)
  return app
}

function constraintsOf(modules: readonly Module[]): Record<string, FaultRow> {
  return Object.assign({}, ...modules.map(module => module.constraints ?? {})) as Record<string, FaultRow>
}
