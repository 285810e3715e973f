import { resolve } from 'node:path'
import process from 'node:process'
import { after, describe } from 'node:test'
import { closeSharedService, GROUP } from '../../test/support/service/shared.ts'

/**
 * Runs test files one after another in this process: the program is loaded and compiled once for all, and they share a
 * service. Each file is a suite of its own, so that its hooks stay its own. Arguments: the URL of the PostgreSQL server, the
 * title of the group, then the files.
 */
const [url, title = '', ...files] = process.argv.slice(2)
process.env.SVC_TEST_DATABASE_URL = url
process.env[GROUP] = '1'
describe(title, async () => {
  after(closeSharedService)
  for (const file of files)
    describe(file, { timeout: 300_000 }, async () => {
      await import(resolve(file))
    })
})
