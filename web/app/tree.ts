import { createRouter } from '@tanstack/react-router'
import { entranceRoutes } from '../sections/entrance/routes.tsx'
import { dealRoutes } from '../sections/deals/routes.tsx'
import { hireRoutes, marketRoutes } from '../sections/market/routes.tsx'
import { privateRoute, publicRoute, rootRoute } from './root.tsx'

const tree = rootRoute.addChildren([
  publicRoute.addChildren([
    ...entranceRoutes,
    ...marketRoutes,
    privateRoute.addChildren([...hireRoutes, ...dealRoutes]),
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
