export { Agent, type AgentEvent, type ListenOptions } from './agent.ts'
export { type ChatChunk, type ChatCompletion, type ChatRequest } from './chat.ts'
export { Svc, type HireRequest, type SvcOptions } from './client.ts'
export { type Session } from './credential.ts'
export { Deal, type DealStatus, type Delivery, type Negotiation } from './deal.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  DealError,
  InvalidRequestError,
  NotFoundError,
  PaymentRequiredError,
  PermissionError,
  RateLimitError,
  ServerError,
  SvcError,
  WebhookError,
} from './errors.ts'
export {
  type BodyOf,
  type CallOptions,
  type ItemOf,
  type Operation,
  type QueryOf,
  type RequestOf,
  type ResultOf,
} from './operations.ts'
export { Run } from './run.ts'
export type { components, paths } from './schema.ts'
export { signWebhook, verifyWebhook } from './webhook.ts'
