// The steps of CI, the same at home: `npm test` runs all, `npm run check` the quick ones without tests.
import { spawnSync } from 'node:child_process'
import { delimiter, resolve } from 'node:path'
import process from 'node:process'
import { checkLockfile, checkOpenapi, checkSettings } from './ci/checks.ts'
import { runTests } from './ci/tests.ts'

const bin = (name: string) => `node_modules/.bin/${name}`

/** Each step returns its faults; none means that it passed. */
const steps: { name: string; run(): Promise<string[]> }[] = [
  { name: 'types (tsc)', run: async () => command(bin('tsc'), ['--noEmit']) },
  { name: 'style (oxlint)', run: async () => command(bin('oxlint'), ['--type-aware', '--deny-warnings', 'server', 'bin', 'test', 'bench']) },
  { name: 'walls (dependency-cruiser)', run: async () => command(bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'server', 'bin', 'test', 'bench']) },
  { name: 'lock file names no registry', run: checkLockfile },
  { name: 'openapi/openapi.json is what the code says', run: checkOpenapi },
  { name: 'docs/OPERATIONS.md lists every setting', run: checkSettings },
]

function command(file: string, args: string[]): string[] {
  // The tools' own launchers ask the PATH for a node: it must be ours.
  const PATH = `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', env: { ...process.env, PATH } })
  return status === 0 ? [] : [`${stdout}${stderr}`]
}

let broken = 0
for (const step of steps) {
  const started = performance.now()
  const faults = await step.run()
  console.log(`${faults.length ? 'FAILED' : 'ok    '} ${step.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
  for (const text of faults) console.log(text)
  broken += faults.length ? 1 : 0
}
const tests = process.argv.includes('--checks') ? undefined : await runTests(process.argv.slice(2))
if (broken) console.log(`${broken} of ${steps.length} checks failed`)
if (tests) console.log(`${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`)
process.exit(broken || tests?.failed ? 1 : 0)
