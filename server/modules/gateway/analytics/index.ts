export { createAnalytics, type Analytics } from './analytics.ts'
export { eraseOutcomeTextOf } from './outcomes.ts'
export { analyticsRoutes } from './routes.ts'
