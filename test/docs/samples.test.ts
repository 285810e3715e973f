import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { sharedService, type TestService } from '#test'
import { GATEWAY_SAMPLES } from './support/gateway-samples.ts'
import { allFences } from './support/fences.ts'
import { MARKET_SAMPLES } from './support/market-samples.ts'
import { NOT_RUN, RUN_BY } from './support/not-run.ts'
import { SampleRunner } from './support/runner.ts'
import { TOOL_SAMPLES } from './support/tool-samples.ts'

/** What runs a sample and asserts what the text around it promises, by its key. */
const RUN = { ...MARKET_SAMPLES, ...GATEWAY_SAMPLES, ...TOOL_SAMPLES }

// Before the suite: the tests of an asynchronous suite are declared too late for a group of files (bin/ci/group.ts).
const fences = await allFences()

/** Every code sample of the documentation is run: here, by a test that is named, or not for a reason that is named. */
suite('the code samples of the documentation', () => {
  let service: TestService
  let runner: SampleRunner
  before(async () => {
    service = await sharedService()
    runner = await SampleRunner.open(service)
  })
  after(async () => {
    await runner.close()
    await service.close()
  })

  test('every sample is run, or listed with the reason', () => {
    const keys = fences.map(({ key }) => key)
    const handled = [...Object.keys(RUN), ...Object.keys(RUN_BY), ...Object.keys(NOT_RUN)]
    assert.equal(new Set(keys).size, keys.length)
    assert.deepEqual(
      keys.filter(key => !handled.includes(key)),
      [],
      'not run: add them to test/docs/support',
    )
    assert.deepEqual(
      handled.filter(key => !keys.includes(key)),
      [],
      'not in the documentation any more',
    )
    assert.equal(new Set(handled).size, handled.length)
  })

  test('a sample that another test runs is read by that test', async () => {
    for (const [key, file] of Object.entries(RUN_BY)) {
      const text = await readFile(join(import.meta.dirname, '../..', file), 'utf8')
      assert.ok(
        text.includes(basename(key.split('#')[0] ?? '', '.md')),
        `${file} does not read the file of ${key}`,
      )
    }
  })

  for (const fence of fences) {
    const run = RUN[fence.key]
    if (run) test(fence.key.slice(0, 80), () => run(fence, runner))
  }
})
