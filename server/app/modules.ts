import type { Module } from '#platform/services'
import { ledgerModule } from '#ledger'

/** The ordered list of modules, downhill first. */
export const modules: readonly Module[] = [ledgerModule]
