import { join, resolve } from 'node:path'
import type { Setting } from './settings/kinds.ts'
import { inconsistencies } from './settings/rules.ts'
import { settings } from './settings/settings.ts'
import { asError } from './unknown.ts'

export { settings }

type Settings = typeof settings
export type Config = {
  readonly [Name in keyof Settings]: ReturnType<Settings[Name]['read']> | Settings[Name]['fallback']
} & {
  readonly sandbox: boolean
}

export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`The configuration is invalid:\n${problems.map(line => `  - ${line}`).join('\n')}`)
    this.problems = problems
  }
}

/** Reads the whole environment; throws one ConfigError that lists every problem. An empty value counts as absent. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings) as [string, Setting<unknown>][]) {
    const raw = env[name]?.trim()
    try {
      config[name] = raw ? setting.read(raw) : setting.fallback
    } catch (error) {
      problems.push(`${name} ${asError(error).message}${setting.secret ? '' : `, not "${raw}"`}`)
    }
  }
  config.sandbox = config.SVC_MODE === 'sandbox'
  const complete = config as unknown as Config
  // A value that could not be read is absent to the rules below: it is reported once.
  const unread = new Set(problems.map(problem => problem.split(' ')[0]))
  problems.push(...inconsistencies(complete).filter(problem => !unread.has(problem.split(' ')[0])))
  if (problems.length) throw new ConfigError(problems)
  return complete
}

const ROOT = join(import.meta.dirname, '../../..')

/** The absolute data folder: a relative one is relative to the project, wherever the command was given. */
export const dataDirOf = (config: Config): string => resolve(ROOT, config.SVC_DATA_DIR)
