import { auditVerify } from './audit-verify.ts'
import { backup } from './backup.ts'
import type { Command } from './command.ts'
import { config } from './config.ts'
import { doctor } from './doctor.ts'
import { ledgerCheck } from './ledger-check.ts'
import { mcp } from './mcp.ts'
import { reconciliation } from './reconcile.ts'
import { restore } from './restore.ts'
import { upgrade } from './upgrade.ts'
import { vaultRotate } from './vault-rotate.ts'

/** The commands in the order in which `svc help` lists them. */
export const commands: readonly Command[] = [
  ledgerCheck,
  auditVerify,
  reconciliation,
  doctor,
  backup,
  restore,
  upgrade,
  vaultRotate,
  config,
  mcp,
]
