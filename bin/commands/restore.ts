import { loadRun, type Command } from './command.ts'

export const restore: Command = {
  name: 'restore',
  parameters: ['FILE'],
  summary:
    'Loads FILE into an empty data folder, or into the empty database of DATABASE_URL, and checks the ledger.',
  options: [
    '--until TIME  With a folder of svc backup --physical: the state of this time; without it all that the archive has',
    '--archive FOLDER  Where its log was archived to; by default SVC_WAL_ARCHIVE',
    '--json  Print JSON',
  ],
  examples: [
    'svc restore /var/backups/svc.backup',
    'svc restore /var/backups/base-monday --archive /var/backups/wal --until 2026-11-23T18:00:00Z',
    'SVC_DATA_DIR=/tmp/trial svc restore svc.backup',
  ],
  run: loadRun(() => import('./run/restore.ts')),
}
