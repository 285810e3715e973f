import { loadRun, type Command } from './command.ts'

export const vaultRotate: Command = {
  name: 'vault rotate',
  summary:
    'Makes a new master key of the vault, wraps the key of every artifact with it and deletes the old one. The service may run meanwhile.',
  run: loadRun(() => import('./run/vault-rotate.ts')),
}
