/** What the words behind the name of a command gave. */
export interface Given {
  parameters: readonly string[]
  /** By name, such as `--from`; an option without a value is ''. */
  options: ReadonlyMap<string, string>
}

/** No parameters and no options. */
export const NOTHING: Given = { parameters: [], options: new Map() }

/** One command of `svc`: `name` is its words, `parameters` what must follow them, `options` what may; `run` gets both and returns the exit status. */
export interface Command {
  name: string
  /** Such as `FILE`, or `[FILE]` for one that may be left out. */
  parameters?: readonly string[]
  /** Such as `--full`, or `--from DATE` for one that takes a value; a description may follow after two spaces. */
  options?: readonly string[]
  summary: string
  examples?: readonly string[]
  run(args: readonly string[], given: Given): Promise<number>
}

/** Loads the code of a command when it runs: `svc help` and every other command start without it. */
export const loadRun =
  (load: () => Promise<Pick<Command, 'run'>>): Command['run'] =>
  async (args, given) =>
    (await load()).run(args, given)

/** Whether requests can go to the address: `localhost:3000` can be parsed too, as a scheme with a path. */
export const isAddress = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text)

/**
 * Exit statuses: the check found something or the command failed; wrong usage, an unreachable service, a temporary
 * failure, a missing credential and wrong configuration as in sysexits.
 */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 64,
  unavailable: 69,
  temporary: 75,
  denied: 77,
  config: 78,
} as const

/** The command was called in a way that cannot work: exit status 64. */
export class UsageError extends Error {}

/** A file of the user is not valid: exit status 78, as with the error of the same name of the service. */
export class ConfigError extends Error {}

/** The command needs another credential: exit status 77. */
export class CredentialError extends Error {}

/** Name, value and description of an option as a command lists it. */
export function optionOf(text: string): { name: string; value: string | undefined; description: string } {
  const [usage = '', description = ''] = text.split(/ {2,}/)
  const [name = '', value] = usage.split(' ')
  return { name, value, description }
}

export const usageOf = ({
  name,
  parameters = [],
  options = [],
}: Pick<Command, 'name' | 'parameters' | 'options'>): string =>
  [name, ...parameters, ...options.map(option => `[${option.split(/ {2,}/)[0]}]`)].join(' ')

/** The command that the words begin with, the longest name first. */
export const findCommand = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands
    .filter(({ name }) => name.split(' ').every((word, index) => words[index] === word))
    .sort((a, b) => b.name.length - a.name.length)[0]

/** UsageError for an unknown option, one without its value or with an empty one, and a wrong number of parameters. */
export function parse(command: Command, given: readonly string[]): Given {
  const known = (command.options ?? []).map(optionOf)
  const usage = `Usage: svc ${usageOf(command)}`
  const parameters: string[] = []
  const options = new Map<string, string>()
  for (let index = 0; index < given.length; index++) {
    const word = given[index] ?? ''
    if (word === '--') {
      parameters.push(...given.slice(index + 1))
      break
    }
    const [name = '', inline] = word.startsWith('--') ? word.split(/=(.*)/s) : [word]
    const option = known.find(each => each.name === name)
    if (!option && /^-./.test(word) && !/^-\d/.test(word))
      throw new UsageError(`unknown option ${word}. ${usage}`)
    if (!option) parameters.push(word)
    else if (option.value === undefined) options.set(name, '')
    else {
      const value = inline ?? given[++index]
      // An empty variable of a script: without its value the command would do more than was asked for.
      if (!value) throw new UsageError(`${name} needs a value. ${usage}`)
      options.set(name, value)
    }
  }
  const expected = command.parameters ?? []
  const required = expected.filter(name => !name.startsWith('[')).length
  if (parameters.length < required || parameters.length > expected.length)
    throw new UsageError(`wrong number of arguments. ${usage}`)
  return { parameters, options }
}
