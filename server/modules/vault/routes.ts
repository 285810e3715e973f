import assert from 'node:assert/strict'
import { Type, type Static } from '#platform/http/type'
import { command, commandInSteps, page, query, type App } from '#platform/http/operations'
import { media } from '#platform/http/response'
import { pageOf, PageOf, PageQuery } from '#platform/http/schema'
import { invalid } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { deleteArtifact, openContent, readArtifact } from './artifact.ts'
import { listOwnArtifacts } from './list.ts'
import { Artifact, IdPath, ListedArtifact, UploadQuery } from './schema.ts'
import type { ArtifactRow } from './sql.ts'
import { storeArtifact } from './upload.ts'

const tag = 'Market'
const reads = { accept: ['jwt', 'sk', 'sa'], scope: 'agent:read' } as const
const writes = { accept: ['jwt', 'sk', 'sa'], scope: 'ap2:execute' } as const

export function vaultRoutes(app: App, services: Services): void {
  commandInSteps(app, {
    method: 'POST',
    url: '/vault',
    id: 'uploadArtifact',
    tag,
    summary: 'Upload a file to the vault',
    access: writes,
    query: UploadQuery,
    streamBody: true,
    success: [201, Artifact],
    async run(_, ctx, { query, http }) {
      const content = http.stream
      if (!content) throw invalid('the body is empty: send the content of the file')
      const mimeType = mediaTypeOf(http.headers['content-type'])
      // The stored file would be the form around the file.
      if (mimeType === 'multipart/form-data')
        throw invalid(
          'the body is a form: send the content of the file alone, as curl --data-binary @FILE does',
        )
      return artifactView(
        await storeArtifact(services, ctx, {
          ...query,
          name: query.name ?? 'artifact',
          mimeType,
          length: Number(http.headers['content-length']) || undefined,
          content,
        }),
      )
    },
  })
  readRoutes(app, services)
  command(app, {
    method: 'DELETE',
    url: '/vault/{id}',
    id: 'deleteArtifact',
    tag,
    summary: 'Delete an artifact',
    access: writes,
    params: IdPath,
    success: 204,
    errors: [409],
    run: (tx, ctx, { params }) => deleteArtifact(tx, ctx, params.id),
  })
}

function readRoutes(app: App, services: Services): void {
  query(app, {
    method: 'GET',
    url: '/vault',
    id: 'listArtifacts',
    tag,
    summary: 'List your files in the vault',
    access: reads,
    query: Type.Object(PageQuery),
    success: [200, PageOf(ListedArtifact)],
    run: (q, ctx, { query: page }) =>
      listOwnArtifacts(q, ctx, {
        page: pageOf(page),
        view: row => ({ ...artifactView(row), isDelivered: row.isDelivered }),
      }),
  })
  query(app, {
    method: 'GET',
    url: '/vault/{id}',
    id: 'getArtifact',
    tag,
    summary: 'Get the metadata of an artifact',
    access: reads,
    params: IdPath,
    success: [200, Artifact],
    run: async (q, ctx, { params }) =>
      artifactView(await readArtifact(q, ctx, { ...params, what: 'metadata' })),
  })
  page(app, {
    method: 'GET',
    url: '/vault/{id}/content',
    id: 'downloadArtifact',
    tag,
    summary: 'Download an artifact',
    access: reads,
    params: IdPath,
    produces: 'application/octet-stream',
    success: [200, Type.String({ format: 'binary' })],
    async run(ctx, { params }) {
      const artifact = await readArtifact(app.db, ctx, { ...params, what: 'content' })
      return media(await openContent(services, artifact), artifact.mimeType, { headers: headersOf(artifact) })
    },
  })
}

function artifactView({
  id,
  name,
  mimeType,
  bytes,
  sha256,
  createdAt,
}: ArtifactRow): Static<typeof Artifact> {
  assert(sha256, 'an artifact that can be read is complete')
  return { id, name, mimeType, bytes: Number(bytes), sha256, createdAt: createdAt.toISOString() }
}

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,60}\/[a-z0-9!#$&^_.+-]{1,60}$/

/** What curl names for any file unless it is given another type. */
const FORM = 'application/x-www-form-urlencoded'

const mediaTypeOf = (header: string | undefined): string => {
  const type = (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  return MEDIA_TYPE.test(type) && type !== FORM ? type : 'application/octet-stream'
}

// A download, never a page: nothing that a seller uploads runs on the address of the service.
const headersOf = ({ name, bytes, sha256 }: ArtifactRow): Record<string, string> => ({
  'content-length': String(bytes),
  'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`,
  'repr-digest': `sha-256=:${Buffer.from(sha256 ?? '', 'hex').toString('base64')}:`,
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
})
