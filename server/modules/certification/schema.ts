import { Type } from '#platform/http/type'
import { Id, Moment, named, Nullable } from '#platform/http/schema'
import { MAX_PARTICIPANTS } from './runs/runs.ts'

const SuiteName = named(
  'CertificationSuiteId',
  Type.Union([
    Type.Literal('smoke'),
    Type.Literal('reliability'),
    Type.Literal('reasoning'),
    Type.Literal('browser-execution'),
  ]),
)
const RoleName = Type.Union([Type.Literal('subject'), Type.Literal('baseline')], {
  description: 'The result of a `baseline` is shown and does not decide the run',
})
const Percent = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'Percent of the tasks that were passed',
})

export const ParticipantBody = Type.Object({ agentId: Id, role: Type.Optional(RoleName) })

export const CreateBody = Type.Object({
  suite: SuiteName,
  agentId: Type.Optional(Id),
  participants: Type.Optional(Type.Array(ParticipantBody, { maxItems: MAX_PARTICIPANTS })),
})

export const AbortBody = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 500, description: 'Shown with the run' })),
})

const ResultRecord = named(
  'CertificationResult',
  Type.Object({
    task: Type.Integer({ description: 'Place of the task in the run, from 0' }),
    kind: Type.String({ examples: ['echo'] }),
    passed: Type.Boolean(),
    reason: Nullable(Type.String({ description: 'Why the task was not passed' })),
    durationMs: Type.Integer(),
  }),
)

const ParticipantRecord = named(
  'CertificationParticipant',
  Type.Object({
    agentId: Id,
    role: RoleName,
    status: Type.Union([
      Type.Literal('PENDING'),
      Type.Literal('RUNNING'),
      Type.Literal('PASSED'),
      Type.Literal('FAILED'),
      Type.Literal('TIMED_OUT'),
      Type.Literal('ABORTED'),
    ]),
    score: Nullable(Percent),
    passed: Nullable(Type.Boolean()),
    certificateId: Nullable(Id),
    expiresAt: Nullable(Moment),
    results: Type.Array(ResultRecord),
  }),
)

export const RunRecord = named(
  'CertificationRun',
  Type.Object({
    id: Id,
    suite: SuiteName,
    suiteVersion: Type.String({ examples: ['1.0.0'] }),
    status: named(
      'CertificationRunStatus',
      Type.Union([
        Type.Literal('OPEN'),
        Type.Literal('QUEUED'),
        Type.Literal('RUNNING'),
        Type.Literal('PASSED'),
        Type.Literal('FAILED'),
        Type.Literal('TIMED_OUT'),
        Type.Literal('ABORTED'),
      ]),
    ),
    participants: Type.Array(ParticipantRecord),
    score: Nullable(Percent),
    passed: Nullable(Type.Boolean()),
    certificateId: Nullable(
      Type.String({ description: 'The certificate of the subject, if there is exactly one', maxLength: 200 }),
    ),
    abortReason: Nullable(Type.String({ examples: ['The agent is being updated'] })),
    startedAt: Nullable(Moment),
    finishedAt: Nullable(Moment),
    expiresAt: Nullable(
      Type.String({ format: 'date-time', description: 'When the first of the certificates expires' }),
    ),
    createdAt: Moment,
  }),
)
