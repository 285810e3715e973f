import type { Static, TSchema } from '#platform/http/type'
import type { RequestContext } from '#platform/http/principal'
import type { Caller } from '../call.ts'
import { project } from './project.ts'

/** What a tool works with. */
export interface Toolbox {
  call: Caller
  ctx: RequestContext
  /** Asks the user, where the client can; throws a Refusal unless the user agrees. */
  confirm(question: string): Promise<void>
}

export interface Annotations {
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
}

interface Spec<I extends TSchema, O extends TSchema> {
  name: string
  title: string
  description: string
  annotations: Annotations
  input: I
  /** Fields of the result beyond these are left out: a model pays for every one. */
  output: O
  /** Moves money, so that the user is asked. */
  asksUser?: boolean
  run(toolbox: Toolbox, input: Static<I>): Promise<unknown>
}

export interface Tool extends Omit<Spec<TSchema, TSchema>, 'run'> {
  run(toolbox: Toolbox, input: unknown): Promise<unknown>
}

/** `run` gets what fits the input schema; its result is reduced to the output schema. */
export const defineTool = <I extends TSchema, O extends TSchema>({ run, ...spec }: Spec<I, O>): Tool => ({
  ...spec,
  run: async (toolbox, input) => project(spec.output, await run(toolbox, input as Static<I>)),
})

export const READS: Annotations = { readOnlyHint: true, idempotentHint: true }
export const WRITES: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
}
/** Money leaves the wallet or the escrow. */
export const PAYS: Annotations = { ...WRITES, destructiveHint: true }
