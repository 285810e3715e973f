export { createKeyLimiter } from './limiter.ts'
export { HeldKeys } from './ring.ts'
export { routingKeyRoutes } from './routes.ts'
export { eraseRoutingKeysOf } from './routing-key.ts'
