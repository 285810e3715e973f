import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { runDeals } from '#ap2'
import { RUN_STATES } from './run-machine.ts'

const Maybe = Type.Optional
const Words = Nullable(Type.String())
const MaybeMoment = Nullable(Moment)

export const AgentPath = Type.Object({ id: Type.String({ maxLength: 200 }) })
export const RunPath = AgentPath
export const ResultPath = Type.Object({
  id: Type.String({ maxLength: 200 }),
  runId: Type.String({ maxLength: 200 }),
})

export const ExecuteBody = named(
  'ExecuteAgentRequest',
  Type.Object({
    input: Type.Unknown({
      description: 'Object or text that fits the inputSchema of the agent, at most 64 KiB',
    }),
    sourceWalletId: Maybe(Id),
    budget: Maybe(AmountIn),
    jobReference: Maybe(Type.String({ maxLength: 200 })),
    initiatorAgentId: Maybe(Id),
  }),
)

export const ResultBody = named(
  'RunResultReport',
  Type.Object({
    status: Type.Enum(['RUNNING', 'SUCCEEDED', 'FAILED']),
    output: Maybe(Type.Unknown({ description: 'Fits the outputSchema of the agent, at most 512 KiB' })),
    error: Maybe(Type.String({ maxLength: 1000, description: 'Why it failed' })),
  }),
)

const RunStatusName = named('RunStatus', Type.Enum([...RUN_STATES]))
export const RunQuery = Type.Object({ status: Maybe(RunStatusName), ...PageQuery })
export const RunError = Nullable(Type.Object({ code: Type.String(), message: Words }))

const FIELDS = {
  id: Id,
  agentId: Id,
  buyerId: Id,
  initiatorAgentId: Nullable(Id),
  status: RunStatusName,
  price: Money,
  currency: Currency,
  test: Type.Boolean(),
  payment: Type.Enum(['FREE', 'HELD', 'RELEASED', 'REFUNDED', 'SPLIT']),
  escrowId: Nullable(Id),
  negotiationId: Nullable(Id),
  jobReference: Words,
  error: RunError,
  attempts: Type.Integer({ description: 'Calls of the endpoint' }),
  deadline: Nullable(Moment),
  allowedActions: Type.Array(Type.String()),
  createdAt: Moment,
  startedAt: MaybeMoment,
  endedAt: MaybeMoment,
}

/** Lists leave out `input` and `output`. */
export const Execution = named(
  'Execution',
  Type.Object({
    ...FIELDS,
    input: Maybe(Type.Unknown()),
    output: Maybe(Type.Unknown({ description: 'For the buyer once it is paid' })),
  }),
)

export const Executed = named(
  'ExecutedAgent',
  Type.Object({ execution: Execution, paymentTransaction: Nullable(runDeals.RunTransaction) }),
)

const Json = (description: string) => Type.Unknown({ description })

export const DebugBundle = named(
  'RunDebugBundle',
  Type.Object({
    run: Execution,
    timeline: Type.Array(runDeals.RunEvent),
    request: Json('What the agent was sent, redacted'),
    response: Json('Status, output and error, redacted'),
    deliveryAttempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        startedAt: Moment,
        endedAt: MaybeMoment,
        outcome: Words,
        httpStatus: Nullable(Type.Integer()),
        durationMs: Nullable(Type.Integer()),
        responseBytes: Nullable(Type.Integer()),
        responseSha256: Words,
      }),
    ),
    ledgerEntries: Type.Array(runDeals.RunLedgerEntry),
    versions: Json('Of the bundle and the API, and when it was made'),
    manifest: Type.Record(Type.String(), Type.String(), {
      description: 'Part -> SHA-256 (hex) of its canonical JSON (RFC 8785)',
    }),
    signature: Type.Object({
      alg: Type.String(),
      kid: Type.String(),
      jws: Type.String({ description: 'JWS over the canonical JSON of the manifest' }),
    }),
  }),
)
