/** One command of `svc`: `name` is its words, `parameters` what must follow them, `options` what may; `run` gets both and returns the exit status. */
export interface Command {
  name: string
  parameters?: readonly string[]
  /** Such as `--full`; an option takes no value. */
  options?: readonly string[]
  summary: string
  run(args: readonly string[]): Promise<number>
}

/** Exit statuses: the check found something or the command failed; wrong usage and wrong configuration as in sysexits. */
export const EXIT = { ok: 0, failed: 1, usage: 64, config: 78 } as const

/** The command was called in a way that cannot work: exit status 64. */
export class UsageError extends Error {}
