import { Type } from '#platform/http/type'
import { Id, Moment, named, Nullable } from '#platform/http/schema'
import { CriterionResults } from '../criteria/schema.ts'
import { DELIVERY_STATES } from '../deal/delivery-machine.ts'
import { Free, Maybe, Text, Words } from '../deal/schema.ts'

const deliverFields = {
  result: Maybe(Free('The result: any JSON')),
  deliverableUrl: Maybe(Text(2000, 'Public page or file; a browser opens pages, files are fetched')),
  artifacts: Maybe(
    Type.Array(
      Type.Object(
        {
          name: Text(200, 'Name of the artifact'),
          url: Maybe(Text(2000, 'Opened like deliverableUrl')),
          vaultId: Maybe(Text(200, 'Or an artifact of `POST /vault`')),
          sha256: Maybe(Text(64, 'SHA-256 of the content in hexadecimal')),
          mimeType: Maybe(Text(100, 'Expected media type of the content')),
          bytes: Maybe(Type.Integer({ minimum: 0, description: 'Expected size in bytes' })),
        },
        { additionalProperties: true },
      ),
      {
        maxItems: 50,
        description:
          'At most 10 URLs with deliverableUrl. At a URL, sha256 (hex), mimeType and bytes must match the response.',
      },
    ),
  ),
  evidence: Maybe(Free('Evidence that the work was done')),
  notes: Maybe(Text(5000, 'Note for the buyer')),
  milestoneKey: Maybe(Text(50, 'Key of the milestone that is delivered; needed if the deal has milestones')),
  verificationHints: Maybe(
    Type.Object(
      {
        url: Maybe(Text(2000, 'Address to open instead of `deliverableUrl`')),
        expectText: Maybe(Text(500, 'Text that the page must show')),
      },
      { description: 'What the verifier should look for' },
    ),
  ),
}

export const DeliverBody = Type.Object({
  negotiationId: { ...Id, description: 'Id of the deal' },
  ...deliverFields,
})
export const DeliverEscrowBody = Type.Object({
  negotiationId: Maybe({ ...Id, description: 'Id of the deal, as a check of the path' }),
  ...deliverFields,
})
export const DeliveryPath = Type.Object({
  id: Type.String({ maxLength: 200 }),
  deliveryId: Type.String({ maxLength: 200 }),
})
const Report = Nullable(
  named(
    'VerificationReport',
    Type.Object(
      {
        ok: Type.Boolean({ description: 'Whether everything was as promised' }),
        code: Type.String({ maxLength: 100, description: 'Result as a code for programs' }),
        reason: Type.String({ description: 'Result for people' }),
        verifier: Type.String({ description: 'How it was checked' }),
        checkedAt: { ...Moment, description: 'When it was checked' },
        artifacts: Maybe(
          Type.Array(
            named(
              'ArtifactReport',
              Type.Object({
                name: Type.String({ maxLength: 200, description: 'Name of the artifact' }),
                url: Type.String({ description: 'Address that was opened' }),
                ok: Type.Boolean({ description: 'Whether it was as promised' }),
                code: Type.String({ maxLength: 100, description: 'Result as a code for programs' }),
                reason: { ...Words, description: 'Why not; null if it was' },
                kind: {
                  ...Nullable(Type.Enum(['page', 'file'])),
                  description:
                    'Whether a page was opened or a file was fetched; null if neither was possible',
                },
                verifier: Type.String({ description: 'How it was checked' }),
                status: Nullable(
                  Type.Integer({ description: 'HTTP status of the response; null without one' }),
                ),
                finalUrl: { ...Words, description: 'Address after redirects; null without a response' },
                contentType: { ...Words, description: 'Media type of the response; null without one' },
                bytes: Type.Integer({ minimum: 0, description: 'Size of the response in bytes' }),
                sha256: { ...Words, description: 'SHA-256 of the response in hexadecimal; null without one' },
              }),
            ),
            { description: 'One report for each URL' },
          ),
        ),
      },
      { additionalProperties: true, description: 'What the verifier saw' },
    ),
  ),
)

const attempt = {
  id: { ...Id, description: 'Id of the delivery (UUIDv7)' },
  escrowId: { ...Id, description: 'Id of the escrow' },
  milestoneKey: { ...Words, description: 'Key of the milestone; null if the deal has none' },
  attempt: Type.Integer({ minimum: 1, description: 'Counts the deliveries from 1' }),
  status: Type.Enum([...DELIVERY_STATES], { description: 'SUPERSEDED: the buyer requested changes' }),
  deliverableUrl: { ...Words, description: 'Public page or file; null without one' },
  report: { ...Report, description: 'Report of the verifier; null before' },
  criteria: { ...CriterionResults, description: 'Results of the acceptance criteria' },
  url: Type.String({ format: 'uri-reference', description: 'Path of the delivery with its content' }),
  screenshotUrl: { ...Words, description: 'Path of the screenshot of the page; null without one' },
  createdAt: Moment,
  updatedAt: Moment,
}

export const DeliverySummary = named('DeliverySummary', Type.Object(attempt))
export const Delivery = named(
  'Delivery',
  Type.Object({
    ...attempt,
    negotiationId: { ...Id, description: 'Id of the deal' },
    result: Free('As delivered'),
    artifacts: Type.Array(Type.Unknown(), { maxItems: 50, description: 'Artifacts as delivered' }),
    evidence: Free('As delivered'),
    notes: { ...Words, description: 'Note of the seller; null without one' },
  }),
)
