import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from '#platform/http/type'
import type { Db, Queryable, Snapshot, Tx } from '../kernel/db.ts'
import {
  claimOf,
  isAnswered,
  runOnce,
  runOnceOrResumable,
  runResumable,
  type Begun,
  type Claim,
  type ResponseSeal,
} from '../kernel/idempotency.ts'
import type { AccessPolicy } from './access.ts'
import {
  contextOf,
  inputOf,
  register,
  statusOf,
  type App,
  type BodyOf,
  type ContextOf,
  type Input,
  type Operation,
  type Returned,
  type Success,
} from './operation.ts'
import { boundAgent, boundOrganization, isAuthenticated } from './principal.ts'
import { HttpResponse, type MediaResponse } from './response.ts'

export type { App } from './operation.ts'

interface Command<
  A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  S extends Success,
> extends Operation<A, P, Q, B, S> {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** For a response with a secret that is shown once: the response is stored sealed, so that the database holds no secret. */
  sealResponse?: ResponseSeal
  /**
   * Runs before the transaction, also for a replay: checks that take time or use no database. What it refuses is
   * replayed nevertheless: the state that it looks at may have changed since.
   */
  prepare?(ctx: ContextOf<A>, input: Input<P, Q, B>): Promise<void> | void
  run(tx: Tx, ctx: ContextOf<A>, input: Input<P, Q, B>): Returned<BodyOf<S>>
}

/**
 * An operation that changes state in one transaction. With `idempotent` the Idempotency-Key is claimed and the response
 * stored in that transaction; a request with the same key replays the response.
 */
export function command<
  const A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  const S extends Success,
>(app: App, spec: Command<A, P, Q, B, S>): void {
  const status = statusOf(spec.success)
  register(app, spec, async request => {
    const { ctx, input } = partsOf<A, P, Q, B>(request)
    const claim = claimFor(request, spec)
    try {
      await spec.prepare?.(ctx, input)
    } catch (error) {
      if (!claim || !(await isAnswered(app.db, claim))) throw error
    }
    return runOnce(app.db, { claim, status, seal: spec.sealResponse }, async tx => {
      const result = await spec.run(tx, ctx, input)
      // Only the body is stored: a replay could not repeat headers and cookies.
      assert(!spec.idempotent || !(result instanceof HttpResponse))
      return result
    })
  })
}

interface CommandInSteps<
  A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  S extends Success,
> extends Operation<A, P, Q, B, S> {
  run(db: Db, ctx: ContextOf<A>, input: Input<P, Q, B>): Returned<BodyOf<S>>
}

/** An operation that opens its transactions itself: it hashes a password, or waits for something outside. */
export function commandInSteps<
  const A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  const S extends Success,
>(app: App, spec: CommandInSteps<A, P, Q, B, S>): void {
  const status = statusOf(spec.success)
  register(app, spec, async request => {
    const { ctx, input } = partsOf<A, P, Q, B>(request)
    return { status, body: await spec.run(app.db, ctx, input) }
  })
}

interface ResumableCommand<
  A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  S extends Success,
> extends Operation<A, P, Q, B, S> {
  /** Longer than the command can run: after it the request counts as cut off, although its process lives. */
  longestMs: number
  /** Whether a result is final; another is not stored, and the same request continues. */
  isFinal(result: BodyOf<S>): boolean
  /** `subjectId` is the id of what the command makes: the same in each request with the same key. */
  run(subjectId: string, ctx: ContextOf<A>, input: Input<P, Q, B>): Promise<BodyOf<S>>
}

/**
 * An idempotent operation with an outside call between two transactions. A repeated request with the same
 * Idempotency-Key continues where the first one was cut off.
 */
export function resumableCommand<
  const A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  const S extends Success,
>(app: App, spec: ResumableCommand<A, P, Q, B, S>): void {
  const declared = { ...spec, idempotent: true }
  const status = statusOf(spec.success)
  register(app, declared, request => {
    const { ctx, input } = partsOf<A, P, Q, B>(request)
    const claim = claimFor(request, declared)
    const { longestMs, isFinal } = spec
    return runResumable(app.db, { claim, status, longestMs, isFinal }, id => spec.run(id, ctx, input))
  })
}

interface CommandWithFollowUp<
  A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  S extends Success,
> extends Operation<A, P, Q, B, S> {
  /** Longer than the command can run: after it the request counts as cut off, although its process lives. */
  longestMs: number
  /** `subjectId` is the id of what the command makes: the same in each request with the same key. */
  run(tx: Tx, ctx: ContextOf<A>, input: Input<P, Q, B> & { subjectId: string }): Promise<Begun<BodyOf<S>>>
}

/** An idempotent operation that either ends in its transaction, or proceeds with outside calls after the commit. */
export function commandWithFollowUp<
  const A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  const S extends Success,
>(app: App, spec: CommandWithFollowUp<A, P, Q, B, S>): void {
  const declared = { ...spec, idempotent: true }
  const status = statusOf(spec.success)
  register(app, declared, request => {
    const { ctx, input } = partsOf<A, P, Q, B>(request)
    const how = { claim: claimFor(request, declared), status, longestMs: spec.longestMs }
    return runOnceOrResumable(app.db, how, (tx, subjectId) => spec.run(tx, ctx, { ...input, subjectId }))
  })
}

interface Query<
  A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  S extends Success,
  Consistent extends boolean,
> extends Operation<A, P, Q, B, S> {
  method: 'GET'
  /** Reads from one snapshot: for a response that combines several statements. */
  snapshot?: Consistent
  run(
    q: Consistent extends true ? Snapshot : Queryable,
    ctx: ContextOf<A>,
    input: Input<P, Q, B>,
  ): Returned<BodyOf<S>>
}

/** An operation that only reads. */
export function query<
  const A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  const S extends Success,
  const Consistent extends boolean = false,
>(app: App, spec: Query<A, P, Q, B, S, Consistent>): void {
  const status = statusOf(spec.success)
  register(app, spec, async request => {
    const { ctx, input } = partsOf<A, P, Q, B>(request)
    const read = (q: Queryable) => spec.run(q as Snapshot, ctx, input)
    return { status, body: await (spec.snapshot ? app.db.snapshot(read) : read(app.db)) }
  })
}

type PageResponse = MediaResponse | HttpResponse<null>

interface Page<
  A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  S extends Success,
> extends Operation<A, P, Q, never, S> {
  method: 'GET'
  /** Media type of the response. */
  produces: string
  run(ctx: ContextOf<A>, input: Input<P, Q, never>): PageResponse | Promise<PageResponse>
}

/** An operation whose response is not JSON: pages, style sheets, images, redirects. */
export function page<
  const A extends AccessPolicy,
  P extends TSchema,
  Q extends TSchema,
  const S extends Success,
>(app: App, spec: Page<A, P, Q, S>): void {
  const status = statusOf(spec.success)
  register(app, spec, async request => {
    const { ctx, input } = partsOf<A, P, Q, never>(request)
    return { status, body: await spec.run(ctx, input) }
  })
}

// The framework has validated the input and proved the principal by the schemas and the policy of the same operation.
const partsOf = <A extends AccessPolicy, P extends TSchema, Q extends TSchema, B extends TSchema>(
  request: FastifyRequest,
) => ({ ctx: contextOf(request) as ContextOf<A>, input: inputOf(request) as Input<P, Q, B> })

/** The claim of an idempotent request by its Idempotency-Key: its scope is the operation and the account or bound key. */
function claimFor(request: FastifyRequest, { idempotent }: { idempotent?: boolean }): Claim | null {
  if (!idempotent) return null
  const ctx = contextOf(request)
  // A bound key is answered nothing that its account was answered, and uses no key of its account.
  const caller = isAuthenticated(ctx)
    ? [ctx.principal.accountId, boundAgent(ctx.principal) ?? boundOrganization(ctx.principal)]
    : ['public']
  return claimOf({
    key: request.headers['idempotency-key'],
    scope: [...caller.filter(Boolean), request.method, request.routeOptions.url].join(' '),
    content: [request.params, request.body ?? null],
  })
}
