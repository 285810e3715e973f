import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { maySignedIn } from '../../api/session.ts'
import { plainRoute } from '../../app/root.tsx'

interface Next {
  /** Path of the page to go to once somebody is signed in. */
  next?: string
}

const nextOf = ({ next }: Record<string, unknown>): Next => (typeof next === 'string' ? { next } : {})

const homeRoute = createRoute({
  getParentRoute: () => plainRoute,
  path: '/',
  beforeLoad: () => {
    if (maySignedIn()) throw redirect({ to: '/app' })
  },
  component: lazyRouteComponent(() => import('./home.tsx'), 'Home'),
})

const loginRoute = createRoute({
  getParentRoute: () => plainRoute,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): Next & { error?: string } => ({
    ...nextOf(search),
    ...(typeof search.error === 'string' ? { error: search.error } : {}),
  }),
  component: lazyRouteComponent(() => import('./login.tsx'), 'Login'),
})

const signUpRoute = createRoute({
  getParentRoute: () => plainRoute,
  path: '/signup',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('./sign-up.tsx'), 'SignUp'),
})

const authDoneRoute = createRoute({
  getParentRoute: () => plainRoute,
  path: '/auth/done',
  component: lazyRouteComponent(() => import('./auth-done.tsx'), 'AuthDone'),
})

const setupRoute = createRoute({
  getParentRoute: () => plainRoute,
  path: '/setup/$token',
  component: lazyRouteComponent(() => import('./links/setup.tsx'), 'Setup'),
})

const claimRoute = createRoute({
  getParentRoute: () => plainRoute,
  path: '/claim/$token',
  component: lazyRouteComponent(() => import('./links/claim.tsx'), 'Claim'),
})

const resetRoute = createRoute({
  getParentRoute: () => plainRoute,
  path: '/reset/$token',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('./links/reset.tsx'), 'Reset'),
})

const verifyRoute = createRoute({
  getParentRoute: () => plainRoute,
  path: '/verify/$token',
  component: lazyRouteComponent(() => import('./links/verify.tsx'), 'Verify'),
})

const magicRoute = createRoute({
  getParentRoute: () => plainRoute,
  path: '/login/$token',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('./links/magic.tsx'), 'MagicLink'),
})

export const entranceRoutes = [
  homeRoute,
  loginRoute,
  signUpRoute,
  authDoneRoute,
  setupRoute,
  claimRoute,
  resetRoute,
  verifyRoute,
  magicRoute,
] as const
