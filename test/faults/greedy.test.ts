import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import {
  as,
  heldDeal,
  negotiate,
  openMarket,
  sharedService,
  type DealView,
  type Market,
  type TestService,
} from '#test'

/** More than the verifier and the checker of schemas have places. Each slow schema takes half a second of processor time. */
const ATTACKS = 6
const VERIFIER_BUSY = 'The verifier is busy: send the delivery again'
const slowRule = { outputSchema: { type: 'string', pattern: '^(a+)+$' } }
const slowValue = `${'a'.repeat(40)}!`
/** uniqueItems of the meta-schema compares each item with each. */
const slowSchema = { enum: Array.from({ length: 8100 }, (_, at) => [at.toString(36).padStart(3, '0')]) }

suite('one account that sends slow work', () => {
  let service: TestService
  let greedy: Market
  let honest: Market
  let site: Server
  /** Answers that the test holds back. */
  const held: ServerResponse[] = []
  const deliver = (market: Market, deal: DealView, body: object) =>
    as<{ details?: { code: string }; hint?: string }>(market, 'seller', '/ap2/deliver', {
      negotiationId: deal.id,
      ...body,
    })
  const address = (path: string) => `http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`
  /** On a slow machine the first check of a rule, in a new thread, takes too long. */
  const patientDeal = async (market: Market, more: object): Promise<DealView> => {
    for (let tries = 1; ; tries++)
      try {
        return await heldDeal(market, { ...more })
      } catch (error) {
        if (tries === 20 || !(error instanceof Error && error.message.includes('takes too long'))) throw error
      }
  }
  const deals = async (market: Market, more: object) => {
    const made: DealView[] = []
    while (made.length < ATTACKS) made.push(await patientDeal(market, more))
    return made
  }

  before(async () => {
    service = await sharedService()
    greedy = await openMarket(service)
    honest = await openMarket(service)
    site = createServer((request, response) => {
      if (request.url === '/held') return void held.push(response)
      return void response.setHeader('content-type', 'text/html').end('<title>Work</title>here')
    })
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    await service.close()
    site.closeAllConnections()
    await new Promise(resolve => site.close(resolve))
  })

  test("with slow schemas does not delay another account's negotiation and delivery", async () => {
    const requirements = { outputSchema: { type: 'object', required: ['notes'] } }
    const made = await deals(greedy, { requirements: slowRule })
    let answered = 0
    const attacks = made.map(deal =>
      deliver(greedy, deal, { result: slowValue }).finally(() => {
        answered++
      }),
    )
    const deal = await patientDeal(honest, { requirements })
    const { status, text } = await deliver(honest, deal, { result: { notes: 'all' } })
    assert.equal(status, 201, text)
    // In one queue with them the rule and the delivery would have waited for each.
    assert.ok(answered < ATTACKS, 'the slow schemas came first')
    const answers = await Promise.all(attacks)
    // On a slow machine the last of them wait too long for their turn, which is a 503.
    const checked = answers.filter(({ body }) => body.hint !== VERIFIER_BUSY)
    assert.deepEqual(
      [...new Set(checked.map(answer => answer.body.details?.code ?? answer.text))],
      ['schema_timeout'],
    )
  })

  test("with slow pages does not delay another account's delivery", async () => {
    const deliverPage = (deal: DealView) => deliver(honest, deal, { deliverableUrl: address('/ok') })
    // On a slow machine the start of the browser takes as long as a slow page may.
    assert.equal((await deliverPage(await heldDeal(honest))).status, 201)
    const deal = await heldDeal(honest)
    const attacks = (await deals(greedy, {})).map(each =>
      deliver(greedy, each, { deliverableUrl: address('/held') }),
    )
    const answered = Promise.race(attacks).then(() => 'the slow pages')
    const first = await Promise.race([deliverPage(deal), answered])
    assert.ok(typeof first === 'object', 'the slow pages came first')
    assert.equal(first.status, 201, first.text)
    const letGo = setInterval(() => {
      for (const response of held.splice(0)) response.writeHead(404).end()
    }, 50)
    const answers = await Promise.all(attacks)
    clearInterval(letGo)
    assert.deepEqual(
      answers
        .filter(({ status, body }) => status !== 400 && body.hint !== VERIFIER_BUSY)
        .map(({ text }) => text),
      [],
    )
  })

  test("cannot stop the service with a slow schema of a listing, and none of another's agent is checked at all", async () => {
    const token = greedy.agent.owner.token
    const patch = (id: string) =>
      service.http('PATCH', `/agents/${id}`, { token, body: { inputSchema: slowSchema } })
    await service.http('GET', '/healthz')
    assert.equal((await patch(honest.agent.id)).status, 403)
    const own = patch(greedy.agent.id)
    const pings = await Promise.all(
      Array.from({ length: 3 }, async () =>
        Promise.race([
          own.then(() => 'the check'),
          service.http('GET', '/healthz').then(() => 'another request'),
        ]),
      ),
    )
    assert.deepEqual(
      pings,
      ['another request', 'another request', 'another request'],
      'the service stood still',
    )
    // A quick machine checks it in time; the limit itself is tested with the checker.
    const { status, text } = await own
    assert.ok([200, 400].includes(status), text)
  })

  test('a rule larger than 64 KiB is refused before it is checked', async () => {
    await assert.rejects(
      negotiate(greedy, { requirements: { outputSchema: { description: 'x'.repeat(66_000) } } }),
      /answered 400/,
    )
  })
})
