import { apiError, errorTable, type ApiError } from '#platform/kernel/errors'
import { contextExceeded } from '../core/errors.ts'
import type { FailureKind, UpstreamFailure } from '../core/upstream.ts'

/** Why a request has no answer, after its retries and fallbacks. Nothing of it is charged. */
export const CALLS = errorTable({
  PROVIDER_RATE_LIMITED: [503, 'Provider overloaded'],
  PROVIDER_ERROR: [502, 'Provider error'],
  PROVIDER_TIMEOUT: [504, 'Provider timeout'],
  PROVIDER_REFUSED: [400, 'Request refused by the provider'],
  STREAM_BROKEN: [502, 'The answer broke off'],
})

const RETRY_LATER = 'No model that may answer did so: try again later'

const HINTS: Record<FailureKind, string> = {
  rate_limited: 'The providers are overloaded: try again later',
  server_error: RETRY_LATER,
  timeout: 'No model that may answer did so in time: try again later',
  connection: RETRY_LATER,
  malformed: RETRY_LATER,
  empty: RETRY_LATER,
  cut: RETRY_LATER,
  credentials: 'The operator of this service must check the provider keys',
  refused: '',
}
const DEFAULT_RETRY_SECONDS = 5

/** The API error of a request whose last attempt failed like this. */
export function errorOfFailure(failure: UpstreamFailure): ApiError {
  const { kind, retryAfterMs, message } = failure
  if (failure.exceedsContext) return contextExceeded(`: ${message}`, failure)
  if (kind === 'refused') return apiError(CALLS.PROVIDER_REFUSED, { hint: message, cause: failure })
  const seconds = retryAfterMs === null ? DEFAULT_RETRY_SECONDS : Math.ceil(retryAfterMs / 1000)
  const row =
    kind === 'rate_limited'
      ? CALLS.PROVIDER_RATE_LIMITED
      : kind === 'timeout'
        ? CALLS.PROVIDER_TIMEOUT
        : CALLS.PROVIDER_ERROR
  const extra = { hint: HINTS[kind], cause: failure }
  if (kind !== 'rate_limited') return apiError(row, extra)
  return apiError(row, { ...extra, headers: { 'Retry-After': String(Math.max(1, seconds)) } })
}

/** The last event of a stream that broke off. */
export const brokenStream = (failure: UpstreamFailure): ApiError =>
  apiError(failure.kind === 'timeout' ? CALLS.PROVIDER_TIMEOUT : CALLS.STREAM_BROKEN, {
    hint: 'What was sent so far is charged. Send the request again for a complete answer',
    cause: failure,
  })
