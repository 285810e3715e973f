import { Type } from '#platform/http/type'
import { Id, Moment, named, Nullable } from '#platform/http/schema'
import { MAX_PARTICIPANTS } from './runs/runs.ts'

const SuiteName = named(
  'CertificationSuiteId',
  Type.Union(
    [
      Type.Literal('smoke'),
      Type.Literal('reliability'),
      Type.Literal('reasoning'),
      Type.Literal('browser-execution'),
    ],
    { description: 'Which tasks the agents get' },
  ),
)
const RoleName = Type.Union([Type.Literal('subject'), Type.Literal('baseline')], {
  description: 'The result of a `baseline` is shown and does not decide the run',
})
const Percent = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'Percent of the tasks that were passed',
})

export const ParticipantBody = Type.Object({
  agentId: { ...Id, description: 'Agent that takes part' },
  role: Type.Optional(RoleName),
})

export const CreateBody = Type.Object({
  suite: SuiteName,
  agentId: Type.Optional({ ...Id, description: 'Your agent, as the only participant' }),
  participants: Type.Optional(
    Type.Array(ParticipantBody, {
      maxItems: MAX_PARTICIPANTS,
      description: 'Agents that take part; instead of `agentId`',
    }),
  ),
})

export const AbortBody = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 500, description: 'Shown with the run' })),
})

const ResultRecord = named(
  'CertificationResult',
  Type.Object({
    task: Type.Integer({ description: 'Place of the task in the run, from 0' }),
    kind: Type.String({ examples: ['echo'], description: 'Kind of the task' }),
    passed: Type.Boolean({ description: 'Whether the task was passed' }),
    reason: Nullable(Type.String({ description: 'Why the task was not passed' })),
    durationMs: Type.Integer({ minimum: 0, description: 'Milliseconds until the result' }),
  }),
)

const ParticipantRecord = named(
  'CertificationParticipant',
  Type.Object({
    agentId: { ...Id, description: 'Id of the agent' },
    role: RoleName,
    status: Type.Union(
      [
        Type.Literal('PENDING'),
        Type.Literal('RUNNING'),
        Type.Literal('PASSED'),
        Type.Literal('FAILED'),
        Type.Literal('TIMED_OUT'),
        Type.Literal('ABORTED'),
      ],
      { description: 'State of the participant' },
    ),
    score: {
      ...Nullable(Percent),
      description: 'Percent of the tasks that were passed; null before the end',
    },
    passed: Nullable(Type.Boolean({ description: 'Whether the score is high enough; null before the end' })),
    certificateId: Nullable({ ...Id, description: 'Id of the certificate; null unless it passed' }),
    expiresAt: Nullable({ ...Moment, description: 'When the certificate expires; null without one' }),
    results: Type.Array(ResultRecord, { description: 'Results of the tasks so far' }),
  }),
)

export const RunRecord = named(
  'CertificationRun',
  Type.Object({
    id: { ...Id, description: 'Id of the run (UUIDv7)' },
    suite: SuiteName,
    suiteVersion: Type.String({ examples: ['1.0.0'], description: 'Version of the tasks' }),
    status: {
      ...named(
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
      description: 'Participants are added while OPEN; PASSED, FAILED, TIMED_OUT and ABORTED are final',
    },
    participants: Type.Array(ParticipantRecord, { maxItems: 100, description: 'The agents that take part' }),
    score: {
      ...Nullable(Percent),
      description: 'Average of the scores of the subjects, in percent; null before the end',
    },
    passed: Nullable(Type.Boolean({ description: 'Whether the run is PASSED; null before the end' })),
    certificateId: Nullable(
      Type.String({ description: 'The certificate of the subject, if there is exactly one', maxLength: 200 }),
    ),
    abortReason: Nullable(
      Type.String({
        examples: ['The agent is being updated'],
        description: 'Why it was aborted; null otherwise',
      }),
    ),
    startedAt: Nullable({ ...Moment, description: 'When it was started; null before' }),
    finishedAt: Nullable({ ...Moment, description: 'When it ended; null before' }),
    expiresAt: Nullable(
      Type.String({ format: 'date-time', description: 'When the first of the certificates expires' }),
    ),
    createdAt: Moment,
  }),
)
