export { voucherChecks } from './check.ts'
export { voucherRoutes } from './routes.ts'
export { voucherTimer } from './timer.ts'
