import { distance } from '#platform/kernel/collections/distance'
import { apiError, type ApiError } from '#platform/kernel/errors'
import { VIRTUAL_MODELS, type Model } from '../core/model.ts'
import { contextExceeded, GATEWAY } from '../core/errors.ts'
import { ROUTING } from './errors.ts'
import { PARAMETER_OF, type Exclusion } from './filters.ts'

/** The API error of a request whose model was excluded. `name` is null where the caller let the gateway select. */
export function refusalOf(exclusion: Exclusion, name: string | null): ApiError {
  const subject = name ?? 'No model that you may use'
  const verb = name ? 'does not support' : 'supports'
  switch (exclusion) {
    case 'not_allowed_by_key':
    case 'not_allowed_by_account':
    case 'not_allowed_by_request':
      return apiError(ROUTING.MODEL_NOT_ALLOWED, {
        hint: PERMISSION_HINTS[exclusion],
        details: { param: 'model' },
      })
    case 'above_max_price':
      return apiError(GATEWAY.MAX_PRICE_EXCEEDED, {
        hint: 'Lower max_tokens or raise the maximum price: the longest answer that the request allows must fit',
      })
    case 'context_too_small':
      return contextExceeded(', which includes the answer: shorten the messages or lower max_tokens')
    case 'provider_unconfigured':
    case 'breaker_open':
      return apiError(GATEWAY.NO_MODEL_AVAILABLE, {
        hint: `${name ?? 'Every model that suits the request'} is unavailable at the moment: retry later`,
        headers: { 'retry-after': '10' },
      })
    default: {
      const param = PARAMETER_OF[exclusion] ?? exclusion.replace('lacks_', '')
      return apiError(GATEWAY.UNSUPPORTED_PARAMETER, {
        hint: `${subject} ${verb} ${param}${param === 'messages' ? ' with images' : ''} as this request sets it`,
        details: { param, reason: exclusion },
      })
    }
  }
}

const PERMISSION_HINTS = {
  not_allowed_by_key: 'The routing key allows other models only (allowedModels)',
  not_allowed_by_account: 'The routing settings of the account exclude it (allow, deny)',
  not_allowed_by_request: 'The constraints of the request exclude it (allow, deny)',
}

/**
 * The exclusion that states what to do where no model is left: the one that came last in the rules, for that model passed all
 * rules before.
 */
export function lastExclusion(exclusions: readonly Exclusion[]): Exclusion {
  const rank = (exclusion: Exclusion) => {
    const index = LATE_RULES.indexOf(exclusion)
    return index === -1
      ? exclusion.startsWith('not_allowed')
        ? LATE_RULES.length + 1
        : LATE_RULES.length
      : index
  }
  return [...exclusions].sort((a, b) => rank(a) - rank(b))[0] ?? 'breaker_open'
}
const LATE_RULES: readonly Exclusion[] = [
  'breaker_open',
  'provider_unconfigured',
  'above_max_price',
  'context_too_small',
  'max_output_too_small',
]

/** 404 for an unknown name, with the names that resemble it most. */
export function modelNotFound(name: string, models: readonly Model[]): ApiError {
  const names = [...VIRTUAL_MODELS, ...models.map(({ id }) => id)]
  const asked = name.slice(0, 100).toLowerCase()
  const closest = names
    .map(each => ({ each, distance: distance(asked, each.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ each }) => each)
  return apiError(ROUTING.MODEL_NOT_FOUND, {
    hint: `Did you mean ${closest.join(', ')}? GET /v1/models lists all models`,
    details: { param: 'model', closest },
  })
}
