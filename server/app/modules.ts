import type { Config } from '#platform/config'
import type { Module } from '#platform/services'
import { affiliatesModule } from '#affiliates'
import { ap2Module } from '#ap2'
import { identityModule } from '#identity'
import { ledgerModule } from '#ledger'
import { agentsModule } from '#agents'
import { onboardingModule } from '#onboarding'
import { pagesModule } from '#pages'
import { paymentsModule } from '#payments'
import { sandboxModule } from '#sandbox'
import { trustModule } from '#trust'
import { walletsModule } from '#wallets'
import { booksModule } from './books.ts'

/** The ordered list of modules, downhill first. */
export const modules: readonly Module[] = [
  ledgerModule,
  identityModule,
  walletsModule,
  agentsModule,
  trustModule,
  paymentsModule,
  ap2Module,
  affiliatesModule,
  onboardingModule,
  sandboxModule,
  pagesModule,
  booksModule,
]

/** The modules of this mode: production has none of the sandbox. */
export const modulesFor = (config: Config): readonly Module[] => modules.filter(module => config.sandbox || !module.sandboxOnly)
