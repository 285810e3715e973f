import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openMarket, type Market, type TestService } from '#test'
import { OPERATIONS } from './document/document.ts'
import { kindOfPath } from './document/kinds.ts'
import { REGRESSIONS } from './replies/regressions.ts'
import { describeFailure, runFuzz } from './run.ts'
import { exceptionsOf, startFuzzedService } from './settings.ts'

/** `npm run fuzz` sends more of them. */
const REQUESTS = 800

suite('random requests of the OpenAPI document', () => {
  let service: TestService
  before(async () => {
    service = await startFuzzedService()
  })
  // Checks the books, too.
  after(() => service.close())

  test('every parameter of a path names a known kind of object', () => {
    const unknown = OPERATIONS.flatMap(({ name, path, parameters }) =>
      parameters
        .filter(each => each.in === 'path' && !kindOfPath(path, each.name))
        .map(each => `${name} ${each.name}`),
    )
    assert.deepEqual(unknown, [])
  })

  suite('that failed once', () => {
    let market: Market
    before(async () => {
      market = await openMarket(service)
    })
    for (const [title, request] of Object.entries(REGRESSIONS)) test(title, () => request(market))
  })

  test('get replies as documented, without data of other tenants', async () => {
    const { requests, failures } = await runFuzz(service, { seed: 1, count: REQUESTS })
    assert.equal(requests, REQUESTS)
    assert.deepEqual(failures.map(describeFailure), [])
    assert.deepEqual(exceptionsOf(service), [])
  })
})
