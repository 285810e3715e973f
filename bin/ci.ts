// The steps of CI: `npm run check` runs the quick ones, `npm test` the tests beside them.
import { execFile, spawnSync } from 'node:child_process'
import { delimiter, resolve } from 'node:path'
import { setPriority } from 'node:os'
import process from 'node:process'
import { parseArguments, USAGE, type Arguments } from './ci/arguments.ts'
import { checkErrorCodes, checkLockfile, checkOpenapi, checkSdk, checkSettings } from './ci/checks.ts'
import { checkAudit } from './ci/dependencies/audit.ts'
import { checkLicenses } from './ci/dependencies/licenses.ts'
import { checkCasts, checkExports, checkFolders } from './ci/limits.ts'
import { checkMigrations } from './ci/migrations.ts'
import { checkReadiness, checkRedocly, checkSpectral } from './ci/openapi/lint.ts'
import { checkPythonClient } from './ci/openapi/python.ts'
import { processorLine, processorSeconds } from './ci/processor.ts'
import { checkSecurityReview } from './ci/security-review.ts'
import { checkWords } from './ci/words.ts'
import { runTests, selectTests } from './ci/tests.ts'
import { writeSchema } from './sdk-types.ts'

/** Wrong usage, as in sysexits. */
const EX_USAGE = 64

const bin = (name: string) => `node_modules/.bin/${name}`

/** Arguments of tsc: it checks again only what depends on a changed file. */
const incremental = (name: string) => [
  '--noEmit',
  '--incremental',
  '--tsBuildInfoFile',
  `node_modules/.cache/${name}`,
]

/** Each step returns its failures; an empty list means that it passed. */
const steps: { name: string; run(): Promise<string[]> }[] = [
  { name: 'format (oxfmt)', run: async () => command(bin('oxfmt'), ['--list-different', '.']) },
  { name: 'types of the operations (openapi-typescript)', run: generateTypes },
  { name: 'types (tsc)', run: async () => command(bin('tsc'), incremental('tsbuildinfo')) },
  {
    name: 'types of the web console (tsc)',
    run: async () => command(bin('tsc'), ['-p', 'web', ...incremental('tsbuildinfo-web')]),
  },
  {
    name: 'types of the SDK, with the web platform alone (tsc)',
    run: async () => command(bin('tsc'), ['-p', 'packages/sdk', '--noEmit']),
  },
  {
    name: 'style (oxlint)',
    run: async () =>
      command(bin('oxlint'), [
        '--type-aware',
        '--deny-warnings',
        'server',
        'bin',
        'test',
        'bench',
        'web',
        'packages',
      ]),
  },
  {
    name: 'module boundaries (dependency-cruiser)',
    run: async () =>
      command(bin('depcruise'), [
        '--config',
        '.dependency-cruiser.cjs',
        'server',
        'bin',
        'test',
        'bench',
        'packages',
      ]),
  },
  { name: 'migrations lock no table for long', run: checkMigrations },
  { name: 'words (docs/GLOSSARY.md)', run: checkWords },
  { name: 'folders have at most 20 source files', run: checkFolders },
  { name: 'modules export at most 20 names', run: checkExports },
  { name: 'at most 3 casts per 1,000 lines', run: checkCasts },
  { name: 'lock file names no registry', run: checkLockfile },
  { name: 'docs/SECURITY.md names tests and sections that exist', run: checkSecurityReview },
  { name: 'licenses of what is shipped', run: checkLicenses },
  { name: 'known weaknesses of what is shipped (npm audit)', run: checkAudit },
  { name: 'openapi/openapi.json is up to date', run: checkOpenapi },
  { name: 'rules of the OpenAPI document (Redocly)', run: checkRedocly },
  { name: 'rules of the OpenAPI document (Spectral)', run: checkSpectral },
  { name: 'agent readiness of the OpenAPI document (Redocly)', run: checkReadiness },
  { name: 'names and types for a Python client', run: checkPythonClient },
  {
    name: 'a Python client (openapi-python-client, where it is installed)',
    run: async () => command('node', ['bin/python-client.ts']),
  },
  { name: 'the operations of packages/sdk are up to date', run: checkSdk },
  { name: 'docs/OPERATIONS.md is up to date', run: checkSettings },
  { name: 'each error code is declared once', run: checkErrorCodes },
]

async function generateTypes(): Promise<string[]> {
  await writeSchema()
  return command('npm', ['run', '--silent', 'web:types'])
}

function command(file: string, args: string[]): string[] {
  // The launchers of the tools find node through the PATH: it must be the one from npm.
  const PATH = `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`
  const { status, stdout, stderr } = spawnSync(file, args, {
    encoding: 'utf8',
    env: { ...process.env, PATH },
  })
  return status === 0 ? [] : [`${stdout}${stderr}`]
}

/** Prints each step as it ends; returns how many failed. */
async function runChecks(): Promise<number> {
  let broken = 0
  for (const step of steps) {
    const started = performance.now()
    const failures = await step.run()
    console.log(
      `${failures.length ? 'FAILED' : 'ok    '} ${step.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
    )
    for (const text of failures) console.log(text)
    broken += failures.length ? 1 : 0
  }
  if (broken) console.log(`${broken} of ${steps.length} checks failed`)
  return broken
}

/**
 * The checks as a process beside the tests: whether they passed, and what they printed. They take what the tests leave of
 * the processor, because some tests measure time.
 */
const checksBeside = (): Promise<{ passed: boolean; output: string }> =>
  new Promise(resolve => {
    const args = [import.meta.filename, '--checks']
    const child = execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ passed: error === null, output: `${stdout}${stderr}` }),
    )
    if (child.pid) setPriority(child.pid, 10)
  })

/** Ends the process with the usage for arguments that cannot be meant. */
function refuse(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`)
  return process.exit(EX_USAGE)
}

function argumentsOrExit(): Arguments {
  try {
    return parseArguments(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return refuse(error.message)
  }
}

const { help, checks: onlyChecks, parts } = argumentsOrExit()
if (help) {
  process.stdout.write(USAGE)
  process.exit(0)
}
if (onlyChecks) {
  const broken = await runChecks()
  process.stdout.write(processorLine('the checks', processorSeconds()))
  process.exit(broken ? 1 : 0)
}
const { files, unmatched } = await selectTests(parts)
if (unmatched.length) refuse(`no test file has "${unmatched.join('", "')}" in its path`)
const isAll = !parts.length
// Tests compile the SDK.
await writeSchema()
// Part of the tests is run again and again while somebody works; `npm run check` is a command of its own then.
const [checks, tests] = await Promise.all([isAll ? checksBeside() : null, runTests(files, { isAll })])
if (checks) console.log(`\n${checks.output}`)
process.stdout.write(processorLine('the whole run', processorSeconds()))
console.log(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`)
process.exit(tests.failed || checks?.passed === false ? 1 : 0)
