import { Type } from '#platform/http/type'
import { Id, Moment, named } from '#platform/http/schema'

export const UploadQuery = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Name of the file' })),
  sha256: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      maxLength: 64,
      description: 'Expected sha256 of the content, in hex',
    }),
  ),
})
export const Artifact = named(
  'VaultArtifact',
  Type.Object({
    id: { ...Id, description: 'Id of the artifact (UUIDv7)' },
    name: Type.String({ maxLength: 200, description: 'Name of the file' }),
    mimeType: Type.String({ description: 'Media type that it was uploaded with' }),
    bytes: Type.Integer({ minimum: 0, description: 'Size in bytes' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the content in hexadecimal' }),
    createdAt: Moment,
  }),
)
export const ListedArtifact = named(
  'ListedVaultArtifact',
  Type.Object({
    ...Artifact.properties,
    isDelivered: Type.Boolean({ description: 'Whether a delivery contains it: then it cannot be deleted' }),
  }),
)
export const IdPath = Type.Object({ id: Type.String({ maxLength: 200 }) })
