export { postProbeCost, recordApprovedInvoice } from './cost.ts'
export { providerRoutes } from './routes.ts'
