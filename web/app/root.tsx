import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router'
import { maySignedIn } from '../api/session.ts'
import { NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'

export const rootRoute = createRootRoute({
  notFoundComponent: () => (
    <Shell>
      <NotFound />
    </Shell>
  ),
})

/** Pages that everybody may read, inside of the shell. */
export const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'public',
  component: () => (
    <Shell>
      <Outlet />
    </Shell>
  ),
})

/** Pages for visitors: without the menu. */
export const plainRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'plain',
  component: () => (
    <Shell isPlain>
      <Outlet />
    </Shell>
  ),
})

/** Pages of somebody: without a session the browser goes to the sign-in and comes back. */
export const privateRoute = createRoute({
  getParentRoute: () => publicRoute,
  id: 'private',
  beforeLoad: ({ location }) => {
    if (!maySignedIn()) throw redirect({ to: '/login', search: { next: location.href } })
  },
})
