export { fundsChecks } from './check.ts'
export { fundsMetrics } from './metrics.ts'
export { fundsRoutes } from './routes.ts'
export { eraseFundsOf } from './wallet.ts'
