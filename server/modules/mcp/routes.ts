import { Type } from '#platform/http/type'
import type { HttpRequest } from '#platform/http/operation'
import { commandInSteps, query, type App } from '#platform/http/operations'
import { SCOPES } from '#platform/http/principal'
import { installRpcErrors } from '#platform/http/rpc-errors'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { MCP } from './errors.ts'
import type { Confirmations } from './protocol/confirmations.ts'
import { Message } from './protocol/message.ts'
import { answerMessage } from './protocol/serve.ts'

const tag = 'Discovery'
const METADATA = '/.well-known/oauth-protected-resource'

/** MCP over streamable HTTP, and the metadata of the resource (RFC 9728). */
export function mcpRoutes(app: App, services: Services, confirmations: Confirmations): void {
  const { publicUrl, config, log } = services
  const parts = { app, confirmations, log }
  const origins = new Set([new URL(publicUrl).origin, ...config.CORS_ORIGINS])
  // Before the service waits for open requests: a question to a user may wait for minutes.
  app.addHook('preClose', async () => confirmations.cancelAll())
  void app.register(async messages => {
    // The transport requires an HTTP error for what it cannot accept.
    installRpcErrors(messages, { status: 400 })
    commandInSteps(messages, {
      method: 'POST',
      url: '/mcp',
      id: 'callMcp',
      tag,
      summary: 'Send a message of the Model Context Protocol',
      access: { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' },
      bearerMetadata: `${publicUrl}${METADATA}/mcp`,
      hidden: true,
      body: Message,
      success: [200, Type.Unknown()],
      alsoProduces: 'text/event-stream',
      run: async (_, ctx, { body: message, http }) => {
        requireKnownOrigin(http, origins)
        return answerMessage(parts, { message, ctx, http })
      },
    })
  })
  metadataRoutes(app, publicUrl)
}

/**
 * 403 for a page of another origin, which a browser names. Requests without an origin do not come from a page. An address of
 * this machine may name itself.
 */
function requireKnownOrigin({ headers: { origin, host } }: HttpRequest, known: ReadonlySet<string>): void {
  if (origin === undefined || known.has('*') || known.has(origin)) return
  if (URL.canParse(origin) && new URL(origin).host === host) return
  throw apiError(MCP.ORIGIN_NOT_ALLOWED, { hint: 'Add the origin of the page to CORS_ORIGINS' })
}

/** RFC 9728: the service is its own authorization server. */
function metadataRoutes(app: App, publicUrl: string): void {
  for (const [path, id] of [
    [METADATA, 'getProtectedResourceMetadata'],
    [`${METADATA}/mcp`, 'getProtectedResourceMetadataOfMcp'],
  ] as const)
    query(app, {
      method: 'GET',
      url: path,
      id,
      tag,
      summary: 'Get the OAuth metadata of the MCP endpoint',
      access: 'public',
      hidden: true,
      databaseFree: true,
      success: [200, Type.Unknown()],
      run: async () => ({
        resource: `${publicUrl}/mcp`,
        resource_name: 'Agent marketplace',
        authorization_servers: [publicUrl],
        bearer_methods_supported: ['header'],
        scopes_supported: SCOPES,
        resource_documentation: `${publicUrl}/docs/api.md`,
      }),
    })
}
