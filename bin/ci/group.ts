import { resolve } from 'node:path'
import process from 'node:process'
import { after, before, describe } from 'node:test'
import { closeSharedService, GROUP } from '../../test/support/service/shared.ts'
import { stopTracking } from './tracking.ts'

/** Of the slowest file, 70 s alone, on a machine that is ten times slower. */
const FILE_TIMEOUT_MS = 900_000

/**
 * Runs test files one after another in this process: the program is loaded and compiled once for all, and they share a
 * service. Each file is a suite of its own, so that its hooks stay its own. Arguments: the URL of the PostgreSQL server, the
 * title of the group, then the files.
 */
const [url, title = '', ...files] = process.argv.slice(2)
process.env.SVC_TEST_DATABASE_URL = url
process.env[GROUP] = '1'
describe(title, async () => {
  before(stopTracking)
  after(closeSharedService)
  const loads = files.map(file => {
    const load = Promise.withResolvers<void>()
    describe(file, { timeout: FILE_TIMEOUT_MS }, async () => {
      await import(resolve(file)).finally(load.resolve)
    })
    return load.promise
  })
  // No test begins before all suites are declared.
  await Promise.all(loads)
})
