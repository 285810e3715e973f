import type { Config } from '#platform/config'
import type { Module } from '#platform/services'
import { affiliatesModule } from '#affiliates'
import { identityModule } from '#identity'
import { ledgerModule } from '#ledger'
import { agentsModule } from '#agents'
import { pagesModule } from '#pages'
import { trustModule } from '#trust'
import { walletsModule } from '#wallets'

/** The ordered list of modules, downhill first. */
export const modules: readonly Module[] = [
  ledgerModule,
  identityModule,
  walletsModule,
  agentsModule,
  trustModule,
  affiliatesModule,
  pagesModule,
]

/** The modules of this mode: production has none of the sandbox. */
export const modulesFor = (config: Config): readonly Module[] => modules.filter(module => config.sandbox || !module.sandboxOnly)
