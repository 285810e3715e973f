import { ATTEMPTS_MAX, BACKOFF, ERROR_MAX, OUTPUT_MAX } from '../limits.ts'
import type { Report } from '../result.ts'

/** What a call of an endpoint brought: the answer, or why there is none. `isFinal` is a refusal that a repetition would meet too. */
export type Exchange =
  | { status: number; body: Buffer }
  | { status: null; code: string; message: string; isFinal: boolean }

/** What an answer means for the run. */
export type Verdict =
  | { kind: 'report'; outcome: string; report: Report }
  | { kind: 'retry'; outcome: string; message: string }
  | { kind: 'fail'; outcome: string; message: string }

const fail = (outcome: string, message: string): Verdict => ({ kind: 'fail', outcome, message })

/** Decides what the answer of an endpoint means. Pure. */
export function readAnswer(exchange: Exchange): Verdict {
  if (exchange.status === null) {
    const { code, message, isFinal } = exchange
    return { kind: isFinal ? 'fail' : 'retry', outcome: code.toUpperCase(), message }
  }
  const { status, body } = exchange
  if (status === 202) return { kind: 'report', outcome: 'ACCEPTED', report: { status: 'RUNNING' } }
  if (status >= 200 && status < 300) return readResult(body)
  const message = `the endpoint answered ${status}`
  const isTemporary = status >= 500 || status === 408 || status === 429
  return { kind: isTemporary ? 'retry' : 'fail', outcome: `HTTP_${status}`, message }
}

function readResult(body: Buffer): Verdict {
  const answer = parse(body.toString('utf8'))
  if (answer === null) return fail('INVALID_ANSWER', 'the answer is not a JSON object')
  if (!isStorable(answer))
    return fail('INVALID_ANSWER', 'the answer is too deep, or has text that cannot be stored')
  const { status = 'SUCCEEDED', output = null, error = null } = answer
  if (status !== 'RUNNING' && status !== 'SUCCEEDED' && status !== 'FAILED')
    return fail('INVALID_ANSWER', 'the status of the answer must be SUCCEEDED, FAILED or RUNNING')
  if (status === 'SUCCEEDED' && output === null) return fail('INVALID_ANSWER', 'the answer has no output')
  if (JSON.stringify(output).length > OUTPUT_MAX)
    return fail('INVALID_ANSWER', 'the output is larger than 512 KiB')
  const reason = typeof error === 'string' ? error.slice(0, ERROR_MAX) : null
  return { kind: 'report', outcome: status, report: { status, output, error: reason } }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

// PostgreSQL stores neither NUL nor half a surrogate pair. `JSON.stringify` escapes a surrogate only if it has no other half.
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/
const DEEPEST = 64

/** Looks at the parsed answer: a pattern that reads the strings of a text takes minutes for one that is no JSON. */
const isStorable = (answer: object): boolean => !isDeep(answer) && !UNSTORABLE.test(JSON.stringify(answer))

/** Whether a value is nested deeper than `DEEPEST`, without recursion. */
function isDeep(value: object): boolean {
  let level: object[] = [value]
  for (let depth = 1; level.length && depth <= DEEPEST; depth++)
    level = level.flatMap(each =>
      Object.values(each).filter((child): child is object => typeof child === 'object' && child !== null),
    )
  return level.length > 0
}

/** How long to wait before the next call after `attempts`; null where it was the last. */
export const pauseAfter = (attempts: number): number | null =>
  attempts >= ATTEMPTS_MAX ? null : (BACKOFF[attempts - 1] ?? BACKOFF[0])
