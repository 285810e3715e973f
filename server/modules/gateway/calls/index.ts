export { createCalls } from './calls.ts'
export { ResponseCache } from './response-cache.ts'
export { callSettings } from './settings.ts'
export type { CallParts, TokenCounter } from './parts.ts'
export { withIdempotency } from './idempotent.ts'
export {
  chatRoutes,
  installOpenaiErrors,
  modelOperation,
  openaiError,
  type ModelAnswer,
  type ModelRequest,
} from './http/index.ts'
