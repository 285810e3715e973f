import '../../server/resolve.ts'
import { resolve } from 'node:path'
import process from 'node:process'
import { after, before, describe } from 'node:test'
import { closeSharedBrowser } from '../../test/support/browser/browser.ts'
import { GROUP } from '../../test/support/service/group.ts'
import { closeSharedService } from '../../test/support/service/shared.ts'
import { processorLine, processorSeconds } from './processor.ts'
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
process.once('exit', () => process.stdout.write(processorLine(title, processorSeconds())))
describe(title, async () => {
  before(stopTracking)
  after(closeSharedBrowser, { timeout: 60_000 })
  after(closeSharedService)
  const loads = files.map(file => {
    const load = Promise.withResolvers<void>()
    describe(file, { timeout: FILE_TIMEOUT_MS }, async () => {
      let atStart = 0
      before(() => {
        atStart = processorSeconds()
      })
      after(() => void process.stdout.write(processorLine(file, processorSeconds() - atStart)))
      await import(resolve(file)).finally(load.resolve)
    })
    return load.promise
  })
  // No test begins before all suites are declared.
  await Promise.all(loads)
})
