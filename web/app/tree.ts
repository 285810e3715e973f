import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from '../sections/account/routes.tsx'
import { entranceRoutes } from '../sections/entrance/routes.tsx'
import { dealRoutes } from '../sections/deals/routes.tsx'
import { hireRoutes, marketRoutes } from '../sections/market/routes.tsx'
import { plainRoute, privateRoute, publicRoute, rootRoute } from './root.tsx'

const tree = rootRoute.addChildren([
  plainRoute.addChildren(entranceRoutes),
  publicRoute.addChildren([
    ...marketRoutes,
    privateRoute.addChildren([...hireRoutes, ...dealRoutes, ...accountRoutes]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
