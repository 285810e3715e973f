import type { Error as ErrorBody } from './schema.d.ts'
import { counted, t, textFor } from '../texts/text.ts'

/** Codes of a 401 for want of a session. Others refuse what was sent: a wrong password or code. */
export const NO_SESSION: readonly (string | undefined)[] = ['UNAUTHORIZED', 'TOKEN_EXPIRED', 'TOKEN_INVALID']

/** A refusal of the API, or a request that did not reach it (status 0). */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  /** The session has ended. */
  readonly isSignedOut: boolean
  /** Invalid fields, one message each. */
  readonly messages: readonly string[]

  constructor(status: number, body: Partial<ErrorBody>, { retrySeconds }: { retrySeconds?: number } = {}) {
    const messages = [messageOf(status, body, retrySeconds)].flat()
    super(messages.join('; '))
    this.status = status
    this.code = body.code ?? ''
    this.isSignedOut = isSignedOut(status, body)
    // Some hints of the API are for programs. Others are the best there is in English: our text is empty in that language.
    const ownHint = textFor(`problem.${this.code}.hint`)
    this.hint = this.isSignedOut ? t('problem.signedOut.hint') : ownHint || body.hint
    this.messages = messages
  }
}

const isSignedOut = (status: number, { code }: Partial<ErrorBody>): boolean =>
  status === 401 && NO_SESSION.includes(code)

/** In our words where we have some, else in those of the API. */
function messageOf(status: number, body: Partial<ErrorBody>, retrySeconds = 60): string | string[] {
  const { code, message } = body
  if (isSignedOut(status, body)) return t('problem.signedOut')
  if (status === 429) return counted('problem.tooMany', Math.ceil(retrySeconds / 60))
  if ([502, 503, 504].includes(status)) return t('problem.busy')
  return textFor(`problem.${code ?? ''}`) ?? message ?? t('problem.unknown')
}

/** The problem behind anything that was thrown. */
export const asProblem = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem(0, { message: error instanceof TypeError ? t('problem.offline') : String(error) })

/** The message of the API about one field, which begins with the field's name. */
export const fieldError = (problem: Problem, field: string): string | undefined =>
  problem.messages.find(text => text.startsWith(`${field} `) || text.startsWith(`${field}: `))
