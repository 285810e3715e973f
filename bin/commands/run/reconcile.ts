import process from 'node:process'
import { lineOf, periodOf, reconcile, type Report } from '#reconciliation'
import { withModules } from '#app'
import { readConfig } from '#platform/kernel/config'
import { EXIT, UsageError, type Command } from '../command.ts'
import { withServer } from '../database.ts'
import { masterKeyOf } from '../master-key.ts'

export const run: Command['run'] = async (_, { options }) => {
  const given = { from: dateOf(options, '--from'), to: dateOf(options, '--to') }
  const config = readConfig(process.env)
  await masterKeyOf(config)
  // The local chain is a process of the service.
  const isLocal = config.SVC_CHAIN === 'local'
  return withServer(config, url =>
    withModules({ ...config, ...(isLocal ? { SVC_CHAIN: undefined } : {}) }, url, async services => {
      const period = periodOf(services.clock, given)
      const report = await reconcile(services, { ...period, repair: true, trigger: 'COMMAND' })
      print(report)
      if (isLocal) console.log('The local chain was not compared: use POST /admin/reconciliation.')
      return report.run.open ? EXIT.failed : EXIT.ok
    }),
  )
}

/** A date such as 2026-01-31 (midnight UTC), or a date with a time. */
function dateOf(options: ReadonlyMap<string, string>, option: string): string | undefined {
  const text = options.get(option)
  if (text === undefined) return undefined
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(Date.parse(text)))
    throw new UsageError(`${option} must be a date such as 2026-01-31 or 2026-01-31T08:00:00Z`)
  return new Date(text).toISOString()
}

function print({ run, differences }: Report): void {
  console.log(`From ${run.fromAt.toISOString()} until ${run.toAt.toISOString()}`)
  for (const [rail, compared] of Object.entries(run.compared))
    console.log(`  ${rail.padEnd(14)} ${compared} movements compared`)
  for (const each of differences.filter(({ isOpen }) => !isOpen)) console.log(`done    ${lineOf(each)}`)
  for (const each of differences.filter(({ isOpen }) => isOpen)) console.log(`FINDING ${lineOf(each)}`)
  console.log(
    run.open
      ? `${run.open} differences need an operator. The report is GET /admin/reconciliation/${run.id}`
      : `Nothing needs an operator. The report is GET /admin/reconciliation/${run.id}`,
  )
}
