export { composeCalls, type ComposedCalls } from './compose.ts'
export type { CallParts } from './parts.ts'
export {
  answerOfUnknown,
  ChatBody,
  chatRoutes,
  installOpenaiErrors,
  modelOperation,
  openaiError,
  type ModelAnswer,
  type ModelRequest,
} from './http/index.ts'
// For the embeddings, whose answers are no completions.
export { firstAnswer } from './attempts.ts'
export { priceHeaders } from './headers.ts'
export { redactText } from './redaction.ts'
export { RunningCall } from './running.ts'
export { chargedUsd, sound } from './usage.ts'
