import { loadRun, type Command } from './command.ts'

export const upgrade: Command = {
  name: 'upgrade',
  summary:
    'Brings the data of a stopped service to this version: backup, migrations, check of the ledger. Exit status 1 if something needs an operator.',
  options: [
    '--check  Only report; exit status 1 if migrations are waiting',
    '--backup FILE  Where the backup goes; by default into "backups" in the data folder',
    '--no-backup  Take none, because you have another one',
    '--json  Print JSON',
  ],
  examples: ['svc upgrade --check', 'svc upgrade --backup /var/backups/before.backup'],
  run: loadRun(() => import('./run/upgrade.ts')),
}
