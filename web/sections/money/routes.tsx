import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { privateRoute } from '../../app/root.tsx'
import { given, numberParam, textParam } from '../../parts/search-params.ts'

const walletsRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/wallet',
  component: lazyRouteComponent(() => import('./wallets.tsx'), 'Wallets'),
})

const walletRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/wallet/$walletId',
  validateSearch: ({ offset }: Record<string, unknown>): { offset?: number } =>
    typeof offset === 'number' && offset > 0 ? { offset } : {},
  component: lazyRouteComponent(() => import('./wallet.tsx'), 'WalletPage'),
})

const vouchersRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/vouchers',
  validateSearch: ({ wallet, offset }: Record<string, unknown>): { wallet?: string; offset?: number } =>
    given({ wallet: textParam(wallet), offset: numberParam(offset) || undefined }),
  component: lazyRouteComponent(() => import('./vouchers.tsx'), 'Vouchers'),
})

const spendRoute = createRoute({
  getParentRoute: () => privateRoute,
  path: '/app/spend',
  validateSearch: ({ organization }: Record<string, unknown>): { organization?: string } =>
    given({ organization: textParam(organization) }),
  component: lazyRouteComponent(() => import('./spend.tsx'), 'Spend'),
})

export const moneyRoutes = [walletsRoute, walletRoute, vouchersRoute, spendRoute] as const
