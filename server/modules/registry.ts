/**
 * The registry of modules: one line per level, lowest first. A module imports only modules of lower levels, through
 * their `index.ts`. The order of migrations, start, routes and subscribers follows from it, and so do the layer rules of
 * `.dependency-cruiser.cjs`. To add a module, add its folder and its name here (docs/adding-a-module.md).
 */
export const LEVELS = [
  ['overview'],
  ['ledger', 'identity'],
  ['budgets'],
  ['wallets', 'reconciliation'],
  ['agents'],
  ['trust', 'spending', 'vault'],
  ['payments'],
  ['x402', 'subscriptions'],
  ['payouts'],
  ['ap2'],
  ['affiliates', 'gateway'],
  ['runs', 'ratings', 'market', 'certification'],
  ['a2a', 'oauth'],
  ['notifications'],
  ['onboarding', 'sandbox', 'pages', 'discovery', 'mcp'],
] as const

/** The names of all modules, in order. */
export const MODULES: readonly string[] = LEVELS.flat()
