import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import process from 'node:process'
import { promisify } from 'node:util'
import spectral from '@stoplight/spectral-core'
import parsers from '@stoplight/spectral-parsers'

const FILE = 'openapi/openapi.json'
const run = promisify(execFile)

/** Redocly writes nothing but its report, and asks no server for its newest version. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

async function redocly<Report>(...args: string[]): Promise<Report> {
  const { stdout } = await run(
    process.execPath,
    ['node_modules/@redocly/cli/bin/cli.js', ...args, '--format', 'json'],
    {
      env: { ...process.env, ...QUIET },
      maxBuffer: 2 ** 26,
    },
  ).catch((error: { stdout: string }) => error)
  return JSON.parse(stdout) as Report
}

interface LintReport {
  totals: { ignored: number }
  problems: { ruleId: string; message: string; location: { pointer?: string }[] }[]
}

/** Redocly's recommended rules; the exceptions are in redocly.yaml and .redocly.lint-ignore.yaml. */
export async function checkRedocly(): Promise<string[]> {
  const [{ totals, problems }, ignored] = await Promise.all([
    redocly<LintReport>('lint', FILE),
    readFile('.redocly.lint-ignore.yaml', 'utf8'),
  ])
  const exceptions = ignored.match(/^ +- '#/gm)?.length ?? 0
  return [
    ...problems.map(
      ({ ruleId, message, location }) => `${location[0]?.pointer ?? FILE}: ${message} (${ruleId})`,
    ),
    ...(totals.ignored === exceptions
      ? []
      : [`.redocly.lint-ignore.yaml has ${exceptions} exceptions, ${totals.ignored} are needed`]),
  ]
}

/**
 * Spectral's recommended rules of OpenAPI; the exceptions are in .spectral.js. Redocly validates the same examples in a
 * tenth of the time, so that rule runs with the command of Spectral alone.
 */
export async function checkSpectral(): Promise<string[]> {
  const config = resolve('.spectral.js')
  const { default: ruleset } = (await import(pathToFileURL(config).href)) as {
    default: spectral.RulesetDefinition
  }
  const linter = new spectral.Spectral()
  const rules = { 'oas3-valid-media-example': 'off' } as const
  linter.setRuleset(new spectral.Ruleset({ ...ruleset, rules }, { source: config }))
  const text = await readFile(FILE, 'utf8')
  const found = await linter.run(new spectral.Document(text, parsers.Json, resolve(FILE)))
  return found.map(({ code, path, message }) => `${path.join('/')}: ${message} (${code})`)
}

/** Of 100 points. */
const MIN_READINESS = 90

/** Redocly's score of how well an agent can use the API. */
export async function checkReadiness(): Promise<string[]> {
  const { agentReadiness, subscores } = await redocly<{ agentReadiness: number; subscores: object }>(
    'score',
    FILE,
  )
  return agentReadiness >= MIN_READINESS
    ? []
    : [`agent readiness is ${agentReadiness}, at least ${MIN_READINESS}: ${JSON.stringify(subscores)}`]
}
