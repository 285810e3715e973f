export { loadClock } from './clock.ts'
export { sandboxModule } from './module.ts'
