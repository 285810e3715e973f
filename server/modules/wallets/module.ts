import type { Module } from '#platform/services'
import { openKeyTree } from './addresses.ts'
import { walletsConstraints } from './faults.ts'
import { walletRoutes } from './routes.ts'

export const walletsModule: Module = {
  name: 'wallets',
  constraints: walletsConstraints,
  routes: walletRoutes,
  start: openKeyTree,
}
