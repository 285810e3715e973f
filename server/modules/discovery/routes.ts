import { Type } from '#platform/http/type'
import { page, query, type App } from '#platform/http/operations'
import { media, respond } from '#platform/http/response'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { Directory } from './directory.ts'
import { DOCUMENTS } from './documents/index.ts'
import { llmsText } from './llms.ts'
import { securityText } from './security-text.ts'

const CACHED = { 'cache-control': 'public, max-age=300' }
const common = { method: 'GET', tag: 'Discovery', access: 'public', databaseFree: true } as const
/** Fields differ between the documents, which are made for other programs to read. */
const DocumentBody = Type.Object(
  { name: Type.String({ description: 'Name of the document' }) },
  { additionalProperties: true },
)

export function discoveryRoutes(app: App, services: Services): void {
  const directory = new Directory(app, services.publicUrl)
  for (const [name, { content, ...described }] of Object.entries(DOCUMENTS))
    query(app, {
      ...common,
      ...described,
      url: `/.well-known/${name}`,
      success: [200, DocumentBody],
      run: async () => respond(content(directory, services), { headers: CACHED }),
    })
  page(app, {
    ...common,
    url: '/llms.txt',
    id: 'getLlmsText',
    summary: 'Get the service in plain words for language models',
    description: 'What the service is and where its documents are, in the form of llmstxt.org.',
    produces: 'text/plain',
    success: [200, Type.String()],
    run: () => media(llmsText(directory), 'text/plain; charset=utf-8', { headers: CACHED }),
  })
  page(app, {
    ...common,
    url: '/.well-known/security.txt',
    id: 'getSecurityText',
    summary: 'Get how to report a weakness of the service',
    description:
      'The contacts of the operator (RFC 9116). 404 unless the operator has set `SECURITY_CONTACT`.',
    produces: 'text/plain',
    success: [200, Type.String()],
    errors: [404],
    run: () => {
      const text = securityText(services)
      if (text === null)
        throw apiError(COMMON.NOT_FOUND, {
          hint: 'The operator has set no contact: use the contact that the pages of the service name',
        })
      return media(text, 'text/plain; charset=utf-8', { headers: CACHED })
    },
  })
}
