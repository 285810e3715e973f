import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { KeyTrial, publishAgent, sharedService, type ListedAgent, type TestService } from '#test'
import { McpClient } from '../../../test/support/mcp/client.ts'

interface Deal {
  id: string
  status: string
  price: number
  escrow: { id: string; status: string; held: string; deliveries: { id: string }[] } | null
  allowedActions: string[]
}

suite('MCP over streamable HTTP', () => {
  let service: TestService
  let trial: KeyTrial
  let seller: ListedAgent
  let fixed: ListedAgent
  before(async () => {
    service = await sharedService()
    trial = await KeyTrial.open(service)
    seller = await publishAgent(service, trial.owner, { description: 'Writes release notes' })
    fixed = await publishAgent(service, trial.owner, { pricing: { model: 'fixed', amount: 25 } })
  })
  after(() => service.close())

  const buyer = async (answer?: Parameters<typeof McpClient.connect>[1], limits: object = {}) => {
    const key = await trial.keyFor(limits, trial.buyer)
    return McpClient.overHttp(service.baseUrl, { key, answer })
  }
  const sellingAgent = (agent = seller) => McpClient.overHttp(service.baseUrl, { key: agent.apiKey })

  test('lists its tools with schemas and hints', async () => {
    const { client } = await buyer()
    const { tools } = await client.listTools()
    assert.equal(tools.length, 17)
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      assert.ok(description && annotations?.title, name)
      assert.deepEqual([inputSchema.type, outputSchema?.type], ['object', 'object'], name)
      assert.equal(inputSchema.additionalProperties, false, name)
    }
    const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]))
    assert.equal(hints.get('search_agents')?.readOnlyHint, true)
    assert.equal(hints.get('pay_deal')?.destructiveHint, true)
    assert.equal(hints.get('open_negotiation')?.readOnlyHint, false)
  })

  test('leads from search to RELEASED with a fixed price', async () => {
    const hirer = await buyer()
    const { agents } = await hirer.use<{ agents: { slug: string }[] }>('search_agents', { limit: 50 })
    assert.ok(agents.some(({ slug }) => slug === fixed.slug))
    assert.equal((await hirer.use('get_agent', { agent: fixed.slug })).id, fixed.id)
    const deal = await hirer.use<Deal>('hire_agent', {
      agent: fixed.slug,
      task: 'Write',
      input: { words: 100 },
    })
    assert.deepEqual([deal.status, deal.price, deal.escrow?.held], ['ESCROWED', 25, '25.00'])
    const worker = await sellingAgent(fixed)
    const { items } = await worker.use<{ items: Deal[] }>('list_deals', { role: 'seller' })
    assert.equal(items[0]?.id, deal.id)
    await worker.use('deliver_work', { dealId: deal.id, result: { text: 'done' } })
    assert.deepEqual((await hirer.use('get_delivery', { dealId: deal.id })).result, { text: 'done' })
    const released = await hirer.use('release_payment', { dealId: deal.id })
    assert.deepEqual([released.status, released.netToSeller], ['RELEASED', '20.00'])
    assert.equal((await hirer.use<Deal>('get_deal', { dealId: deal.id })).status, 'COMPLETED')
  })

  test('leads from an offer over a counter-offer to RELEASED', async () => {
    const hirer = await buyer()
    const worker = await sellingAgent()
    const offer = { agent: seller.id, service: 'Release notes', budget: '40', requirements: { pages: 2 } }
    const { id: dealId } = await hirer.use<Deal>('open_negotiation', offer)
    await worker.use('respond_to_negotiation', { dealId, action: 'counter', price: 50 })
    const accepted = await hirer.use<Deal>('respond_to_negotiation', { dealId, action: 'accept' })
    assert.deepEqual([accepted.status, accepted.price], ['ACCEPTED', 50])
    const before = await hirer.use('get_balance')
    const paid = await hirer.use('pay_deal', { dealId, idempotencyKey: `pay-${dealId}` })
    assert.deepEqual(await hirer.use('pay_deal', { dealId, idempotencyKey: `pay-${dealId}` }), paid)
    const { available } = await hirer.use('get_balance')
    assert.equal(Number(before.available) - Number(available), 50)
    await worker.use('deliver_work', { dealId, result: 'done' })
    assert.equal((await hirer.use('release_payment', { dealId, amount: 20 })).status, 'HELD')
    assert.equal((await hirer.use('release_payment', { dealId })).status, 'RELEASED')
  })

  test('shows the seller what was offered, and what the buyer asks to change', async () => {
    const hirer = await buyer()
    const worker = await sellingAgent()
    const deliverBy = new Date(Date.now() + 86_400_000 * 20).toISOString()
    const criterion = { key: 'tone', kind: 'rubric', text: 'Readers without context follow it' }
    const { id: dealId } = await hirer.use<Deal>('open_negotiation', {
      agent: seller.id,
      service: 'Release notes',
      budget: 40,
      notes: 'In French, please',
      deliverBy,
      requirements: { acceptance: [criterion] },
    })
    const offer = await worker.use<Deal & Record<string, unknown>>('get_deal', { dealId })
    assert.deepEqual([offer.notes, offer.deliverBy, offer.milestones], ['In French, please', deliverBy, []])
    assert.deepEqual(offer.acceptance, [{ ...criterion, weight: 1 }])
    await worker.use('respond_to_negotiation', { dealId, action: 'accept' })
    await hirer.use('pay_deal', { dealId })
    await worker.use('deliver_work', { dealId, result: 'done' })
    assert.equal((await worker.use('get_delivery', { dealId })).status, 'VERIFIED')
    const { body } = await service.http<{ escrowId: string }>('GET', `/ap2/negotiations/${dealId}`, {
      token: trial.buyer.token,
    })
    const changes = { token: trial.buyer.token, body: { reason: 'Too short', criteria: ['tone'] } }
    await service.http('POST', `/payments/escrow/${body.escrowId}/changes`, changes)
    const { escrow } = await worker.use<{ escrow: { changeRequest: object } }>('get_deal', { dealId })
    assert.partialDeepStrictEqual(escrow.changeRequest, { reason: 'Too short', criteria: ['tone'] })
  })

  test('hires with a budget an agent without a price, and never pays more than the budget', async () => {
    const hirer = await buyer()
    const order = { agent: seller.slug, task: 'Write' }
    assert.equal((await hirer.refusal('hire_agent', order)).code, 'INVALID_ARGUMENTS')
    const once = { ...order, budget: '12.5', idempotencyKey: `hire-${seller.id}` }
    const { id, price } = await hirer.use<Deal>('hire_agent', once)
    assert.equal(price, 12.5)
    assert.equal((await hirer.use<Deal>('hire_agent', once)).id, id)
    const refused = await hirer.refusal('hire_agent', { agent: fixed.slug, task: 'Write', budget: 24 })
    assert.match(refused.hint ?? '', /costs 25\.00 USD/)
  })

  test('repeats a hire under its key after the price rose above the budget', async () => {
    const agent = await publishAgent(service, trial.owner, { pricing: { model: 'fixed', amount: 5 } })
    const hirer = await buyer('accept')
    const order = { agent: agent.slug, task: 'Write', budget: 5, idempotencyKey: `rise-${agent.id}` }
    const { id } = await hirer.use<Deal>('hire_agent', order)
    const changed = await service.http('PATCH', `/agents/${agent.id}`, {
      token: trial.owner.token,
      body: { pricing: { model: 'fixed', amount: 6 } },
    })
    assert.equal(changed.status, 200)
    const before = await hirer.use('get_balance')
    assert.equal((await hirer.use<Deal>('hire_agent', order)).id, id)
    const other = await hirer.refusal('hire_agent', { ...order, idempotencyKey: `new-${agent.id}` })
    assert.match(other.hint ?? '', /costs 6\.00 USD, more than the budget/)
    assert.deepEqual(await hirer.use('get_balance'), before)
    assert.equal(hirer.asked.length, 1)
  })

  test('asks the user for the exact amount before it spends', async () => {
    const hirer = await buyer('accept')
    const { id: dealId } = await hirer.use<Deal>('hire_agent', { agent: fixed.slug, task: 'Write' })
    assert.match(hirer.asked[0] ?? '', /pay 25\.00 USD into escrow/)
    await (await sellingAgent(fixed)).use('deliver_work', { dealId, result: 'done' })
    await hirer.use('release_payment', { dealId })
    assert.match(hirer.asked[1] ?? '', /Release 25\.00 USD/)
    await hirer.use('get_deal', { dealId })
    assert.equal(hirer.asked.length, 2)
  })

  test('repeats a release under its key, and asks nothing about an escrow that holds nothing', async () => {
    const hirer = await buyer('accept')
    const { id: dealId } = await hirer.use<Deal>('hire_agent', { agent: fixed.slug, task: 'Write' })
    await (await sellingAgent(fixed)).use('deliver_work', { dealId, result: 'done' })
    for (const part of [{ amount: 5, idempotencyKey: `a-${dealId}` }, { idempotencyKey: `b-${dealId}` }]) {
      const paid = await hirer.use('release_payment', { dealId, ...part })
      assert.deepEqual(await hirer.use('release_payment', { dealId, ...part }), paid)
    }
    assert.equal((await hirer.refusal('release_payment', { dealId })).code, 'ESCROW_RELEASED')
    assert.deepEqual(
      hirer.asked.slice(1).map(question => /Release ([\d.]+) USD/.exec(question)?.[1]),
      ['5.00', '5.00', '20.00'],
    )
  })

  test('pays nothing when the user declines or cancels', async () => {
    for (const answer of ['decline', 'cancel'] as const) {
      const hirer = await buyer(answer)
      const before = await hirer.use('get_balance')
      const error = await hirer.refusal('hire_agent', { agent: fixed.slug, task: 'Write' })
      assert.equal(error.code, 'NOT_CONFIRMED')
      assert.deepEqual(await hirer.use('get_balance'), before)
    }
  })

  test('pays nothing after the client has given up', async () => {
    const giveUp = new AbortController()
    const { promise: late, resolve: answer } = Promise.withResolvers<'accept'>()
    const hirer = await buyer(async () => {
      giveUp.abort()
      return late
    })
    const before = await hirer.use('get_balance')
    const call = { name: 'hire_agent', arguments: { agent: fixed.slug, task: 'Write' } }
    await assert.rejects(hirer.client.callTool(call, undefined, { signal: giveUp.signal }))
    // A round trip later the service knows.
    await hirer.use('get_balance')
    answer('accept')
    await hirer.use('get_deal', { dealId: (await hirer.use<{ items: Deal[] }>('list_deals')).items[0]?.id })
    assert.deepEqual(await hirer.use('get_balance'), before)
  })

  test('refuses a price that rose after the user agreed', async () => {
    const agent = await publishAgent(service, trial.owner, { pricing: { model: 'fixed', amount: 5 } })
    const hirer = await buyer(async () => {
      const pricing = { model: 'fixed', amount: 6 }
      const changed = await service.http('PATCH', `/agents/${agent.id}`, {
        token: trial.owner.token,
        body: { pricing },
      })
      assert.equal(changed.status, 200)
      return 'accept'
    })
    const error = await hirer.refusal('hire_agent', { agent: agent.slug, task: 'Write' })
    assert.match(error.message, /costs 6\.00 USD/)
  })

  test('a key with a limit of 50 USD cannot spend 51 by parallel calls', async () => {
    const key = await trial.keyFor({ spendingLimit: 50 }, trial.buyer)
    const clients = await Promise.all(
      Array.from({ length: 4 }, (_, place) =>
        McpClient.overHttp(service.baseUrl, { key, answer: place % 2 ? 'accept' : undefined }),
      ),
    )
    const price = 17
    const calls = await Promise.all(
      Array.from({ length: 16 }, (_, place) =>
        (clients[place % 4] ?? assert.fail()).client.callTool({
          name: 'hire_agent',
          arguments: { agent: seller.slug, task: 'Write', budget: price },
        }),
      ),
    )
    const refused = calls.filter(call => call.isError)
    assert.equal(calls.length - refused.length, 2)
    for (const { content } of refused) assert.match(JSON.stringify(content), /KEY_LIMIT_EXCEEDED/)
    const left = await clients[0]?.refusal('hire_agent', { agent: seller.slug, task: 'Write', budget: 16.01 })
    assert.deepEqual(left?.details, { limit: '50.00', remaining: '16.00' })
  })

  test('returns the errors of the API with code and hint', async () => {
    const hirer = await buyer()
    assert.equal((await hirer.refusal('get_agent', { agent: 'no-such-agent' })).code, 'AGENT_NOT_FOUND')
    assert.equal((await hirer.refusal('get_agent', { slug: fixed.slug })).code, 'INVALID_ARGUMENTS')
    assert.equal((await hirer.refusal('no_such_tool')).code, 'UNKNOWN_TOOL')
    assert.equal((await hirer.refusal('pay_deal', { dealId: 'x' })).statusCode, 400)
    const narrow = await buyer(undefined, { scopes: ['agent:read'] })
    const refused = await narrow.refusal('hire_agent', { agent: fixed.slug, task: 'Write' })
    assert.deepEqual([refused.code, refused.hint], ['FORBIDDEN', 'The key lacks the scope ap2:execute'])
    // An agent key negotiates and delivers, and pays nothing.
    const agent = await sellingAgent(fixed)
    const { code } = await agent.refusal('hire_agent', { agent: seller.slug, task: 'Write', budget: 1 })
    assert.equal(code, 'INVALID_AUTH_TYPE')
  })

  test('names the argument that is wrong, and says why', async () => {
    const hirer = await buyer()
    const hints = [
      ['get_agent', { slug: fixed.slug }, 'agent is required; unknown field slug'],
      ['get_agent', { agent: 5 }, 'agent must be string'],
      ['hire_agent', { agent: fixed.slug, task: '' }, 'task must not be empty'],
      [
        'respond_to_negotiation',
        { dealId: 'x', action: 'take' },
        'action must be one of "accept", "counter", "reject"',
      ],
    ] as const
    for (const [tool, input, hint] of hints) {
      const refused = await hirer.refusal(tool, input)
      assert.deepEqual([refused.code, refused.hint], ['INVALID_ARGUMENTS', hint])
    }
  })

  test('refuses an id that would lead to another operation', async () => {
    const hirer = await buyer()
    for (const [tool, input] of [
      ['get_agent', { agent: '..' }],
      ['get_deal', { dealId: '' }],
      ['get_balance', { walletId: '..' }],
      ['get_balance', { agentId: '.' }],
      ['hire_agent', { agent: '..', task: 'Write', budget: 1 }],
    ] as const) {
      const { code, hint } = await hirer.refusal(tool, input)
      assert.deepEqual([code, hint], ['INVALID_ARGUMENTS', 'An id or slug must not be empty, "." or ".."'])
    }
    // Half of a character.
    assert.equal((await hirer.refusal('get_agent', { agent: '\ud800' })).code, 'AGENT_NOT_FOUND')
  })

  test('routes a prompt with the routing key beside the credential', async () => {
    const made = await service.http<{ key: string }>('POST', '/v1/auth/keys', {
      token: trial.buyer.token,
      body: { name: 'MCP' },
    })
    assert.equal(made.status, 201, made.text)
    const key = await trial.keyFor({}, trial.buyer)
    const hirer = await McpClient.overHttp(service.baseUrl, { key, headers: { 'x-api-key': made.body.key } })
    const answer = await hirer.use('route_prompt', { prompt: 'What is 2 + 2?', maxTokens: 20 })
    assert.ok(answer.text && answer.model)
    const without = await buyer()
    assert.equal((await without.refusal('route_prompt', { prompt: 'x' })).code, 'INVALID_AUTH_TYPE')
  })
})
