import { Type } from '#platform/http/type'
import { AmountIn, Currency, Id, Moment, Money, named, Nullable, PageQuery } from '#platform/http/schema'
import { runDeals } from '#ap2'
import { RUN_STATES } from './run-machine.ts'

const Maybe = Type.Optional
const Words = Nullable(Type.String({ minLength: 1 }))
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
    sourceWalletId: Maybe({
      ...Id,
      description: 'Your wallet that pays; the default wallet of the buyer otherwise',
    }),
    budget: Maybe({
      ...AmountIn,
      description: 'Price of the run for an agent with `custom` pricing; otherwise at least its listed price',
    }),
    jobReference: Maybe(
      Type.String({ maxLength: 200, description: 'Your own reference, shown to both parties' }),
    ),
    initiatorAgentId: Maybe({ ...Id, description: 'Your agent that buys; you yourself without one' }),
  }),
)

export const ResultBody = named(
  'RunResultReport',
  Type.Object({
    status: Type.Enum(['RUNNING', 'SUCCEEDED', 'FAILED'], {
      description: 'RUNNING: the agent works on it; SUCCEEDED and FAILED end the run',
    }),
    output: Maybe(Type.Unknown({ description: 'Fits the outputSchema of the agent, at most 512 KiB' })),
    error: Maybe(Type.String({ maxLength: 1000, description: 'Why it failed' })),
  }),
)

const RunStatusName = named(
  'RunStatus',
  Type.Enum([...RUN_STATES], { description: 'SUCCEEDED, FAILED, TIMED_OUT and CANCELLED are final' }),
)
export const RunQuery = Type.Object({ status: Maybe(RunStatusName), ...PageQuery })
export const RunError = Nullable(
  Type.Object({
    code: Type.String({ maxLength: 100, description: 'Stable code for programs' }),
    message: { ...Words, description: 'Why, for people; null without more' },
  }),
)

const FIELDS = {
  id: { ...Id, description: 'Id of the run (UUIDv7)' },
  agentId: { ...Id, description: 'Id of the agent that works' },
  buyerId: { ...Id, description: 'Id of the account that pays' },
  initiatorAgentId: Nullable({
    ...Id,
    description: 'Id of the agent that bought; null if the account itself did',
  }),
  status: RunStatusName,
  price: { ...Money, description: 'Price of the run in `currency`' },
  currency: Currency,
  test: Type.Boolean({ description: 'Whether test credit pays for it' }),
  payment: Type.Enum(['FREE', 'HELD', 'RELEASED', 'REFUNDED', 'SPLIT'], {
    description: 'FREE without a price; HELD in escrow until the run ends',
  }),
  escrowId: Nullable({ ...Id, description: 'Escrow that holds the price; null for a free run' }),
  negotiationId: Nullable({ ...Id, description: 'Deal of the run; null for a free run' }),
  jobReference: { ...Words, description: 'Reference that the buyer gave it; null without one' },
  error: { ...RunError, description: 'Why it did not succeed; null otherwise' },
  attempts: Type.Integer({ description: 'Calls of the endpoint of the agent', minimum: 0 }),
  deadline: Nullable({ ...Moment, description: 'When it times out; null without a deadline' }),
  allowedActions: Type.Array(Type.String({ minLength: 1 }), {
    uniqueItems: true,
    description: 'What the caller may do now, such as `cancel`',
  }),
  createdAt: Moment,
  startedAt: { ...MaybeMoment, description: 'When the agent began; null before' },
  endedAt: { ...MaybeMoment, description: 'When it ended; null before' },
}

/** Lists leave out `input` and `output`. */
export const Execution = named(
  'Execution',
  Type.Object({
    ...FIELDS,
    input: Maybe(Type.Unknown({ description: 'What the agent is given; absent in lists' })),
    output: Maybe(
      Type.Unknown({ description: 'The result; null for the buyer until it is paid, absent in lists' }),
    ),
  }),
)

export const Executed = named(
  'ExecutedAgent',
  Type.Object({
    execution: { ...Execution, description: 'The run' },
    paymentTransaction: {
      ...Nullable(runDeals.RunTransaction),
      description: 'The transaction that paid the price into escrow; null for a free run',
    },
  }),
)

const Json = (description: string) => Type.Unknown({ description })

export const DebugBundle = named(
  'RunDebugBundle',
  Type.Object({
    run: { ...Execution, description: 'The run' },
    timeline: Type.Array(runDeals.RunEvent, {
      description: 'What happened in the deal of the run, oldest first',
    }),
    request: Json('What the agent was sent, redacted'),
    response: Json('Status, output and error, redacted'),
    deliveryAttempts: Type.Array(
      Type.Object({
        number: Type.Integer({ minimum: 1, description: 'Counts from 1' }),
        startedAt: { ...Moment, description: 'When the call began' },
        endedAt: { ...MaybeMoment, description: 'When it ended; null while it runs' },
        outcome: { ...Words, description: 'How it ended; null while it runs' },
        httpStatus: Nullable(
          Type.Integer({
            minimum: 100,
            maximum: 599,
            description: 'Status of the response; null without one',
          }),
        ),
        durationMs: Nullable(
          Type.Integer({ minimum: 0, description: 'Milliseconds until the response; null without one' }),
        ),
        responseBytes: Nullable(
          Type.Integer({ minimum: 0, description: 'Size of the response in bytes; null without one' }),
        ),
        responseSha256: Nullable(
          Type.String({
            pattern: '^[0-9a-f]{64}$',
            description: 'SHA-256 of the response in hexadecimal; null without one',
          }),
        ),
      }),
      { description: 'Calls of the endpoint of the agent, oldest first' },
    ),
    ledgerEntries: Type.Array(runDeals.RunLedgerEntry, {
      description: 'Entries of the escrow of the run in the ledger',
    }),
    versions: Json('Of the bundle and the API, and when it was made'),
    manifest: Type.Record(Type.String(), Type.String({ pattern: '^[0-9a-f]{64}$' }), {
      description: 'Part -> SHA-256 (hex) of its canonical JSON (RFC 8785)',
    }),
    signature: Type.Object(
      {
        alg: Type.String({ minLength: 1, description: 'Algorithm of the signature' }),
        kid: Type.String({ minLength: 1, description: 'Key in `/.well-known/jwks.json`' }),
        jws: Type.String({
          pattern: '^[\\w-]+[.][\\w-]+[.][\\w-]+$',
          description: 'JWS over the canonical JSON of the manifest',
        }),
      },
      { description: 'Signature of the service over the manifest' },
    ),
  }),
)
