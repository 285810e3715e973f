import type { Module } from '#platform/services'
import { deletionRoute } from './deletion.ts'
import { registerRoutes } from './routes.ts'

export const onboardingModule: Module = {
  name: 'onboarding',
  routes(app, services) {
    registerRoutes(app, services)
    deletionRoute(app, services)
  },
}
