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
          name: Text(200),
          url: Maybe(Text(2000, 'Opened like deliverableUrl')),
          vaultId: Maybe(Text(200, 'Or an artifact of `POST /vault`')),
          sha256: Maybe(Text(64)),
          mimeType: Maybe(Text(100)),
          bytes: Maybe(Type.Integer({ minimum: 0 })),
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
  notes: Maybe(Text(5000)),
  milestoneKey: Maybe(Text(50)),
  verificationHints: Maybe(Type.Object({ url: Maybe(Text(2000)), expectText: Maybe(Text(500)) })),
}

export const DeliverBody = Type.Object({ negotiationId: Id, ...deliverFields })
export const DeliverEscrowBody = Type.Object({ negotiationId: Maybe(Id), ...deliverFields })
export const DeliveryPath = Type.Object({
  id: Type.String({ maxLength: 200 }),
  deliveryId: Type.String({ maxLength: 200 }),
})
const Report = Nullable(
  named(
    'VerificationReport',
    Type.Object(
      {
        ok: Type.Boolean(),
        code: Type.String(),
        reason: Type.String(),
        verifier: Type.String(),
        checkedAt: Moment,
        artifacts: Maybe(
          Type.Array(
            named(
              'ArtifactReport',
              Type.Object({
                name: Type.String(),
                url: Type.String(),
                ok: Type.Boolean(),
                code: Type.String(),
                reason: Words,
                kind: Nullable(Type.Enum(['page', 'file'])),
                verifier: Type.String(),
                status: Nullable(Type.Integer()),
                finalUrl: Words,
                contentType: Words,
                bytes: Type.Integer(),
                sha256: Words,
              }),
            ),
          ),
        ),
      },
      { additionalProperties: true, description: 'What the verifier saw' },
    ),
  ),
)

const attempt = {
  id: Id,
  escrowId: Id,
  milestoneKey: Words,
  attempt: Type.Integer(),
  status: Type.Enum([...DELIVERY_STATES]),
  deliverableUrl: Words,
  report: Report,
  criteria: CriterionResults,
  url: Type.String({ description: 'Path of the delivery with its content' }),
  screenshotUrl: Words,
  createdAt: Moment,
  updatedAt: Moment,
}

export const DeliverySummary = named('DeliverySummary', Type.Object(attempt))
export const Delivery = named(
  'Delivery',
  Type.Object({
    ...attempt,
    negotiationId: Id,
    result: Free('As delivered'),
    artifacts: Type.Array(Type.Unknown()),
    evidence: Free('As delivered'),
    notes: Words,
  }),
)
