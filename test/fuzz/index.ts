// Random requests made from the OpenAPI document, against a real service: `npm run fuzz`.
import process from 'node:process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { folderOfRun } from '../support/database/folder.ts'

const HELP = `Usage: npm run fuzz -- [options]

Sends random requests of every operation in openapi/openapi.json to a service on a database of its own, with every kind of
credential, and checks each reply: no 5xx, a documented status, a body that fits its schema, no data of another tenant. At
the end the ledger check runs. A failure prints the smallest request found as a curl command.

  --seed N        first seed (1); each scenario of 1,000 requests has a seed of its own
  --count N       requests in all (100000)
  --time SECONDS  ends the run earlier
  --operation T   only operations whose "METHOD path" contains the text
  --lanes N       scenarios at a time (4); 1 repeats a run most exactly
  --keep          leaves the service running after a failure, for the curl commands, until Ctrl-C

The exit status is 0 when no check failed.`

const OPTIONS = {
  seed: { type: 'string', default: '1' },
  count: { type: 'string', default: '100000' },
  time: { type: 'string' },
  operation: { type: 'string' },
  lanes: { type: 'string', default: '4' },
  keep: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS })
    for (const name of ['seed', 'count', 'time', 'lanes'] as const)
      if (values[name] !== undefined && !/^[1-9]\d{0,8}$/.test(values[name]))
        throw new Error(`--${name} must be a number from 1`)
    return values
  } catch (error) {
    console.error(`fuzz: ${(error as Error).message}\n\n${HELP}`)
    return process.exit(64)
  }
}

const { seed, count, time, operation, lanes, keep, help } = readOptions()
if (help) {
  console.log(HELP)
  process.exit(0)
}

const removeFolder = folderOfRun()
let hasPassed = false
try {
  hasPassed = await runAll()
} finally {
  await removeFolder()
}
process.exit(hasPassed ? 0 : 1)

async function runAll(): Promise<boolean> {
  // Imported here: --help needs no service.
  const { startFuzzedService, exceptionsOf } = await import('./settings.ts')
  const { describeFailure, runFuzz } = await import('./run.ts')
  const service = await startFuzzedService()
  const started = performance.now()
  const summary = await runFuzz(service, {
    seed: Number(seed),
    count: Number(count),
    lanes: Number(lanes),
    ...(operation === undefined ? {} : { operation }),
    ...(time === undefined ? {} : { seconds: Number(time) }),
    say: line => console.log(line),
  })
  const { requests, scenarios, statuses, neverSucceeded, failures } = summary
  const exceptions = exceptionsOf(service)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`\n${requests} requests in ${scenarios} scenarios, ${seconds} s`)
  console.log(
    `Replies by status: ${[...statuses].map(([status, times]) => `${status}: ${times}`).join(', ')}`,
  )
  console.log(`Operations without a success: ${neverSucceeded.join(', ') || 'none'}`)
  for (const failure of failures) console.log(`\nFAILED ${describeFailure(failure)}`)
  for (const line of exceptions) console.log(`\nFAILED the service logged an exception:\n  ${line.trim()}`)
  if (failures.length && keep) {
    console.log(`\nThe service runs on ${service.baseUrl} until Ctrl-C.`)
    await once(process, 'SIGINT')
  }
  // Fails if the books do not balance.
  await service.close()
  console.log(`\n${failures.length} findings, ${exceptions.length} exceptions; the books balance`)
  return !failures.length && !exceptions.length
}
