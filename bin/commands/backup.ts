import { loadRun, type Command } from './command.ts'

export const backup: Command = {
  name: 'backup',
  parameters: ['FILE'],
  summary: 'Writes a consistent copy of the database and the master key to FILE while the service runs.',
  options: [
    '--physical  Copy the files of the embedded PostgreSQL into the new folder FILE, for svc restore --until',
    '--json  Print JSON',
  ],
  examples: ['svc backup /var/backups/svc.backup', 'svc backup --physical /var/backups/base-monday'],
  run: loadRun(() => import('./run/backup.ts')),
}
