import { spawnSync } from 'node:child_process'
import { lockedPackages, shippedPackages } from '../../shipped-packages.ts'

const PATIENCE_MS = 30_000

interface Advisory {
  severity: string
  title: string
  url: string
}
export interface Report {
  vulnerabilities: Record<string, { via: (Advisory | string)[]; nodes: string[] }>
}
/** What npm says, or why the registry could not be asked. */
export type Audit = Report | { notAsked: string }

/** Known weaknesses of what is installed, from the registry that npm is configured for. */
export function askRegistry(...options: string[]): Audit {
  const args = ['audit', '--json', '--loglevel=silent', '--fetch-retries=0', ...options]
  const { stdout, error } = spawnSync('npm', args, { encoding: 'utf8', timeout: PATIENCE_MS })
  if (error) return { notAsked: error.message }
  const { vulnerabilities, message } = parse(stdout)
  return vulnerabilities ? { vulnerabilities } : { notAsked: message ?? 'npm audit printed no report' }
}

function parse(text: string): Partial<Report> & { message?: string } {
  try {
    return JSON.parse(text) as Partial<Report>
  } catch {
    return {}
  }
}

/** One line for each weakness above "low" of a package that reaches users. */
export const weaknessesOf = ({ vulnerabilities }: Report, shipped: object): string[] =>
  Object.entries(vulnerabilities)
    .filter(([, { nodes }]) => nodes.some(path => path in shipped))
    .flatMap(([name, { via }]) =>
      via.flatMap(cause =>
        typeof cause === 'string' || ['info', 'low'].includes(cause.severity)
          ? []
          : [`${name}: ${cause.severity}: ${cause.title} (${cause.url})`],
      ),
    )

/** No package that reaches users has a known weakness. Without an answer of the registry it prints so, and passes. */
export async function checkAudit(): Promise<string[]> {
  const audit = askRegistry()
  if (!('notAsked' in audit)) return weaknessesOf(audit, shippedPackages(await lockedPackages()))
  console.log(
    `NOTE   the dependency audit was not done: ${audit.notAsked}. Run npm audit --omit=dev where the registry answers.`,
  )
  return []
}
