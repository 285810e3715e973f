import type { Module } from '#platform/services'
import { identityConstraints } from './faults.ts'
import { ensureFirstAdmin } from './first-admin.ts'
import { tokensOf } from './token.ts'

export const identityModule: Module = {
  name: 'identity',
  constraints: identityConstraints,
  routes() {},
  async start(services) {
    await tokensOf(services)
    await ensureFirstAdmin(services)
  },
}
