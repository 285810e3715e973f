import { loadRun, type Command } from './command.ts'

export const auditVerify: Command = {
  name: 'audit verify',
  summary:
    'Recomputes the hash chains of ledger and audit log, and compares LEDGER_ANCHOR_FILE. Exit status 1 if there are findings.',
  run: loadRun(() => import('./run/audit-verify.ts')),
}
