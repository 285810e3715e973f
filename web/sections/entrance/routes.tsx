import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { publicRoute } from '../../app/root.tsx'

const loginRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/login',
  validateSearch: (search: Record<string, unknown>): { next?: string } =>
    typeof search.next === 'string' ? { next: search.next } : {},
  component: lazyRouteComponent(() => import('./login.tsx'), 'Login'),
})

const signUpRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '/signup',
  component: lazyRouteComponent(() => import('./sign-up.tsx'), 'SignUp'),
})

export const entranceRoutes = [loginRoute, signUpRoute] as const
