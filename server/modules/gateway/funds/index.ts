export { eraseFundsOf, fundsChecks, fundsMetrics, fundsRoutes, topUps } from './balance/index.ts'
export { postProbeCost, providerRoutes, recordApprovedInvoice } from './providers/index.ts'
export { createFunds, type InstanceFunds } from './funds.ts'
