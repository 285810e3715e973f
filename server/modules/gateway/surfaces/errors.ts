import { apiError, type ApiError } from '#platform/kernel/errors'
import { GATEWAY } from '../core/errors.ts'

/** 400 for something that the form of the API has and the gateway does not offer. */
export const unsupported = (param: string, hint: string, details: object = {}): ApiError =>
  apiError(GATEWAY.UNSUPPORTED_PARAMETER, { hint, details: { param, ...details } })
