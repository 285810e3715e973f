import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from '../sections/account/routes.tsx'
import { affiliateRoutes } from '../sections/affiliate/routes.tsx'
import { developerRoutes } from '../sections/developer/routes.tsx'
import { adminRoutes } from '../sections/admin/routes.tsx'
import { entranceRoutes } from '../sections/entrance/routes.tsx'
import { dealRoutes } from '../sections/deals/routes.tsx'
import { hireRoutes, marketRoutes } from '../sections/market/routes.tsx'
import { moneyRoutes } from '../sections/money/routes.tsx'
import { privateNeedRoutes, publicNeedRoutes } from '../sections/needs/routes.tsx'
import { organizationRoutes } from '../sections/organizations/routes.tsx'
import { sellingRoutes } from '../sections/selling/routes.tsx'
import { Failed } from './failed.tsx'
import { plainRoute, privateRoute, publicRoute, rootRoute } from './root.tsx'

const tree = rootRoute.addChildren([
  plainRoute.addChildren(entranceRoutes),
  publicRoute.addChildren([
    ...marketRoutes,
    ...publicNeedRoutes,
    privateRoute.addChildren([
      ...adminRoutes,
      ...hireRoutes,
      ...accountRoutes,
      ...dealRoutes,
      ...sellingRoutes,
      ...moneyRoutes,
      ...privateNeedRoutes,
      ...organizationRoutes,
      ...developerRoutes,
      ...affiliateRoutes,
    ]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultErrorComponent: Failed,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
