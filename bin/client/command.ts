import type { Command } from '../commands/command.ts'

const COMMON = [
  '--json  Print JSON',
  '--field PATH  Print one field of it, such as slug or 0.id; status 1 without it',
  '--profile NAME  The stored credential, "default" without it (SVC_PROFILE)',
  '--url URL  Address of the service (SVC_URL)',
]

/** A command that calls a service: it has the common options. */
export const clientCommand = (command: Command): Command => ({
  ...command,
  options: [...(command.options ?? []), ...COMMON],
})
