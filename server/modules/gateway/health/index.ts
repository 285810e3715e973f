export { createModelHealth, type HealthView, type ObservedHealth } from './breaker.ts'
export { healthRoutes } from './routes.ts'
export { statusOf, type ModelStatus } from './status.ts'
