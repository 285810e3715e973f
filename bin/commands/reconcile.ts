import { loadRun, type Command } from './command.ts'

export const reconciliation: Command = {
  name: 'reconcile',
  options: ['--from DATE', '--to DATE'],
  summary:
    'Compares payments, refunds, payouts and the chain with the lists of the processor and of the node, by default of the last day. Exit status 1 if a difference needs an operator.',
  run: loadRun(() => import('./run/reconcile.ts')),
}
