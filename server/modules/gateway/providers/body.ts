import { isRecord } from '#platform/kernel/unknown'
import { UpstreamFailure } from '../core/upstream.ts'

export const malformed = (cause?: unknown): UpstreamFailure =>
  new UpstreamFailure('malformed', 'The provider sent something else than an answer', { status: 200, cause })

/** A JSON object that a provider sent. */
export function jsonOf(text: string): Record<string, unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (error) {
    throw malformed(error)
  }
  if (!isRecord(body)) throw malformed()
  return body
}
