export { ROUTING } from './errors.ts'
export { createRouter, type PreviewingRouter, type RouterParts } from './select.ts'
export { routingRoutes } from './routes.ts'
export { TASK_KINDS, type TaskKind } from './kind.ts'
