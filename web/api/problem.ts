import type { Error as ErrorBody } from './schema.d.ts'
import { t } from '../texts/text.ts'

/** A refusal of the API, or a request that did not reach it (status 0). */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  /** Invalid fields, one message each. */
  readonly messages: readonly string[]

  constructor(status: number, body: Partial<ErrorBody>) {
    const messages = [body.message ?? t('problem.unknown')].flat()
    super(messages.join('; '))
    this.status = status
    this.code = body.code ?? ''
    this.hint = body.hint
    this.messages = messages
  }
}

/** The problem behind anything that was thrown. */
export const asProblem = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem(0, { message: error instanceof TypeError ? t('problem.offline') : String(error) })

/** The message of the API about one field, without its name. */
export const fieldError = (problem: Problem, field: string): string | undefined =>
  problem.messages.find(text => text.startsWith(`${field} `))
