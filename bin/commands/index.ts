import { auditVerify } from './audit-verify.ts'
import { backup } from './backup.ts'
import type { Command } from './command.ts'
import { config } from './config.ts'
import { ledgerCheck } from './ledger-check.ts'
import { restore } from './restore.ts'

/** The commands in the order in which `svc help` lists them. */
export const commands: readonly Command[] = [ledgerCheck, auditVerify, backup, restore, config]
