import { parseArgs } from 'node:util'

export const USAGE = `Usage: npm test [-- PART ...]
       npm run check

Runs the tests and, beside them, the checks. PART selects the test files whose path contains it,
such as "ap2" or "test/cli"; with it no failed test is repeated and no check runs.

Options:
  --checks    Run the checks alone (npm run check)
  -h, --help  Show this text
`

export interface Arguments {
  checks: boolean
  help: boolean
  /** Parts of the paths of the test files to run; none selects all. */
  parts: string[]
}

/** Throws a TypeError for an unknown option, and for parts beside --checks. */
export function parseArguments(args: readonly string[]): Arguments {
  const { values, positionals: parts } = parseArgs({
    args: [...args],
    options: { checks: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  })
  const { checks = false, help = false } = values
  if (checks && parts.length) throw new TypeError('--checks runs no tests: leave out the parts of paths')
  return { checks, help, parts }
}
