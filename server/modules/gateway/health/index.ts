export { createModelHealth, type HealthView, type ObservedHealth } from './breaker.ts'
