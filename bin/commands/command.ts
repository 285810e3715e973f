/** One command of `svc`: `name` is its words, `parameters` what must follow them, `options` what may; `run` gets both and returns the exit status. */
export interface Command {
  name: string
  parameters?: readonly string[]
  /** Such as `--full`, or `--from DATE` for one that takes a value. */
  options?: readonly string[]
  summary: string
  run(args: readonly string[]): Promise<number>
}

/** Exit statuses: the check found something or the command failed; wrong usage and wrong configuration as in sysexits. */
export const EXIT = { ok: 0, failed: 1, usage: 64, config: 78 } as const

/** The command was called in a way that cannot work: exit status 64. */
export class UsageError extends Error {}

/** The value of an option such as `--from`, undefined without it. */
export function valueOf(args: readonly string[], option: string): string | undefined {
  const index = args.indexOf(option)
  return index === -1 ? undefined : args[index + 1]
}
