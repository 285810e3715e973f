/** One command of `svc`: `name` is its words, `run` gets the words after them and answers the exit status. */
export interface Command {
  name: string
  summary: string
  run(args: readonly string[]): Promise<number>
}
