import { loadRun, type Command } from './command.ts'

export const ledgerCheck: Command = {
  name: 'ledger check',
  options: ['--full'],
  summary:
    'Checks sums, balances, escrows, payments and the accounting equation. Continues from the last run; --full reads all history. Exit status 1 if there are findings.',
  run: loadRun(() => import('./run/ledger-check.ts')),
}
