import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from '#platform/kernel/sql'
import {
  MarketTrial,
  must,
  publishAgent,
  registerHuman,
  sharedService,
  type Accepted,
  type List,
  type NeedBody,
  type OfferBody,
} from '#test'

suite('needs and offers', () => {
  let trial: MarketTrial
  before(async () => {
    trial = await MarketTrial.open(await sharedService())
  })
  after(() => trial.service.close())

  test('an accepted offer opens a negotiation at its price, which is funded like any other', async () => {
    const need = await trial.newNeed({ description: 'For version 2', requirements: { format: 'Markdown' } })
    const [losing, winning] = [
      await trial.newOffer(need.id, trial.rival, { price: 90 }),
      await trial.newOffer(need.id, trial.market.agent, {
        price: 80,
        message: 'Ready',
        estimatedDelivery: '2 days',
      }),
    ]
    const { status, body, text } = await trial.accept(winning.id)
    assert.equal(status, 201, text)
    const { negotiation } = body
    assert.deepEqual(
      [negotiation.status, negotiation.price, negotiation.requirements, negotiation.requestedService],
      ['ACCEPTED', 80, { format: 'Markdown' }, 'Release notes\n\nFor version 2'],
    )
    assert.deepEqual([body.offer.status, body.offer.negotiationId], ['ACCEPTED', negotiation.id])
    const matched = await trial.readNeed(need.id)
    assert.deepEqual(
      [matched.status, matched.acceptedOfferId, matched.openOffers],
      ['MATCHED', winning.id, 0],
    )
    assert.deepEqual(
      (await trial.offersOf(need.id)).map(({ id, status }) => [id, status]),
      [
        [winning.id, 'ACCEPTED'],
        [losing.id, 'REJECTED'],
      ],
    )
    await must(trial.market, 'buyer', '/payments/ap2/initiate', { negotiationId: negotiation.id })
    await must(trial.market, 'seller', '/ap2/deliver', { negotiationId: negotiation.id, result: 'done' })
  })

  test('of two offers that are accepted at once, one wins', async () => {
    const need = await trial.newNeed()
    const offers = [await trial.newOffer(need.id), await trial.newOffer(need.id, trial.rival)]
    const answers = await Promise.all(offers.map(({ id }) => trial.accept(id)))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 409],
    )
    assert.deepEqual((await trial.offersOf(need.id)).map(({ status }) => status).sort(), [
      'ACCEPTED',
      'REJECTED',
    ])
  })

  test('an agent has one open offer to a need, within the budget and its limits', async () => {
    const need = await trial.newNeed({ budget: 5000 })
    const { id } = await trial.newOffer(need.id)
    assert.deepEqual((await trial.offer(need.id)).body.code, 'OFFER_EXISTS')
    assert.equal((await trial.withdraw(id)).status, 200)
    assert.deepEqual(
      (await trial.offer(need.id, trial.market.agent, { price: 5001 })).body.code,
      'OFFER_ABOVE_BUDGET',
    )
    const tooMuch = await trial.offer(need.id, trial.market.agent, { price: 1001 })
    assert.deepEqual([tooMuch.status, tooMuch.body.message], [400, 'Insufficient trust tier'])
    const policy = (body: object) =>
      trial.send(
        'PUT',
        `/agents/${trial.market.agent.id}/autonomy-policy`,
        trial.market.agent.owner.token,
        body,
      )
    await policy({ perDealLimit: 50 })
    assert.deepEqual((await trial.offer(need.id)).body.code, 'DEAL_LIMIT_EXCEEDED')
    await policy({ approvalThreshold: 50 })
    assert.deepEqual((await trial.offer(need.id)).body.code, 'APPROVAL_REQUIRED')
    await policy({})
  })

  test('the policy of a buying agent applies when it accepts', async () => {
    const buyer = await publishAgent(trial.service, trial.market.buyer)
    const need = await trial.newNeed({ agentId: buyer.id })
    const { id } = await trial.newOffer(need.id)
    const policy = (body: object) =>
      trial.send('PUT', `/agents/${buyer.id}/autonomy-policy`, trial.market.buyer.token, body)
    await policy({ blockedCounterparties: [trial.market.agent.id] })
    assert.deepEqual((await trial.accept(id)).body.code, 'COUNTERPARTY_BLOCKED')
    await policy({ approvalThreshold: 79 })
    const byKey = await trial.service.http<Accepted>('POST', `/market/offers/${id}/accept`, {
      headers: { 'x-agent-api-key': buyer.apiKey },
    })
    assert.deepEqual(byKey.body.code, 'APPROVAL_REQUIRED')
    assert.equal((await trial.accept(id)).status, 201)
  })

  test('only the buyer sees all offers and accepts; only the seller withdraws', async () => {
    const need = await trial.newNeed()
    const [first] = [await trial.newOffer(need.id), await trial.newOffer(need.id, trial.rival)]
    assert.equal((await trial.offersOf(need.id)).length, 2)
    assert.deepEqual(
      (await trial.offersOf(need.id, trial.market.agent.owner.token)).map(({ id }) => id),
      [first.id],
    )
    for (const token of [trial.market.agent.owner.token, trial.market.outsider.token]) {
      assert.equal((await trial.accept(first.id, token)).status, 403)
      assert.equal((await trial.close(need.id, token)).status, 403)
    }
    assert.equal((await trial.withdraw(first.id, trial.market.buyer.token)).status, 403)
  })

  test('finds needs by words, category and budget, the newest first', async () => {
    const word = 'zyzzyva'
    const first = await trial.newNeed({
      title: `Insects of the kind ${word}`,
      category: 'Biology',
      budget: 10,
    })
    const second = await trial.newNeed({ title: 'Insects', description: `Weevils, a ${word}`, budget: 30 })
    const idsOf = async (query: string, token?: string) =>
      (await trial.send<List<NeedBody>>('GET', `/market/needs?${query}`, token)).body.items.map(
        ({ id }) => id,
      )
    assert.deepEqual(await idsOf(`search=${word}`), [first.id, second.id])
    assert.deepEqual(await idsOf(`search=${word}&category=biology`), [first.id])
    assert.deepEqual(await idsOf(`search=${word}&minBudget=20&currency=USD`), [second.id])
    await trial.close(second.id)
    assert.deepEqual(await idsOf(`search=${word}`), [first.id])
    assert.deepEqual(await idsOf(`search=${word}&mine=true`, trial.market.buyer.token), [first.id, second.id])
    assert.deepEqual(await idsOf(`search=${word}&mine=true`, trial.market.outsider.token), [])
    assert.equal((await trial.service.http('GET', '/market/needs?mine=true')).status, 401)
    assert.deepEqual(await idsOf(`search=${word}&status=CLOSED`), [second.id])
  })

  test('finds needs by words of other scripts, and without their accents', async () => {
    const { id } = await trial.newNeed({ title: '契約書を翻訳できる人', description: 'für Verträge' })
    for (const word of ['翻訳', '契約書', 'vertrage']) {
      const { body } = await trial.send<List<NeedBody>>(
        'GET',
        `/market/needs?search=${encodeURIComponent(word)}`,
      )
      assert.deepEqual([word, ...body.items.map(need => need.id)], [word, id])
    }
  })

  test('shows requirements without the secret of a checker, which the deal gets', async () => {
    const secret = 'a secret of the checker 0123456789'
    const acceptance = [{ key: 'ok', kind: 'checker', url: 'https://example.com/check', secret }]
    const need = await trial.newNeed({ requirements: { acceptance } })
    assert.doesNotMatch(JSON.stringify(await trial.readNeed(need.id)), /a secret of/)
    const stored = await trial.service.services.db.one(
      sql<{ text: string }>`select to_jsonb(n)::text as text from market_need n where id = ${need.id}`,
    )
    assert.doesNotMatch(stored.text, /a secret of/)
    const { status, text } = await trial.accept((await trial.newOffer(need.id)).id)
    assert.equal(status, 201, text)
  })

  test('takes offers for half of the time until the work is due, at most 30 days', async () => {
    const inDays = (days: number) =>
      new Date(trial.service.services.clock.now().getTime() + days * 86_400_000).toISOString()
    const daysOpen = async (more: object) => {
      const { deadline, createdAt } = await trial.newNeed(more)
      return Math.round((Date.parse(deadline) - Date.parse(createdAt)) / 86_400_000)
    }
    assert.equal(await daysOpen({ deliverBy: inDays(20) }), 10)
    assert.equal(await daysOpen({ deliverBy: inDays(90) }), 30)
    assert.equal(await daysOpen({}), 30)
    const late = await trial.publish({ deadline: inDays(20), deliverBy: inDays(10) })
    assert.equal(late.status, 400)
    assert.match(late.text, /choose a later deliverBy or an earlier deadline/)
    assert.match((await trial.publish({ deliverBy: inDays(-1) })).text, /deliverBy must be in the future/)
  })

  test('refuses impossible times and requirements with 400', async () => {
    const past = '2020-01-01T00:00:00Z'
    for (const more of [
      { deadline: past },
      { deadline: '2099-01-01T00:00:00Z' },
      { deliverBy: past },
      { requirements: { outputSchema: 5 } },
      { requirements: 'x'.repeat(70_000) },
      { budget: 0 },
      { title: ' ' },
    ])
      assert.equal((await trial.publish(more)).status, 400, JSON.stringify(more).slice(0, 50))
    const need = await trial.newNeed()
    assert.equal((await trial.offer(need.id, trial.market.agent, { expiresAt: past })).status, 400)
    assert.equal(
      (
        await trial.send('POST', `/market/needs/${need.id}/offers`, trial.market.agent.owner.token, {
          price: 1,
        })
      ).status,
      400,
    )
  })

  test('a deleted account leaves neither open needs nor open offers, nor their text', async () => {
    const person = await registerHuman(trial.service)
    const agent = await publishAgent(trial.service, person)
    const { body: need } = await trial.publish({ title: 'Canary need', category: 'canary' }, person.token)
    const open = await trial.newNeed()
    const answered = await trial.newOffer(need.id)
    const made = await trial.newOffer(open.id, agent, { message: 'Canary offer' })
    assert.equal((await trial.send('DELETE', '/users/me', person.token)).status, 204)
    const { status, title } = await trial.readNeed(need.id)
    assert.deepEqual([status, title], ['CLOSED', '[removed]'])
    const states = await trial.service.services.db.rows(
      sql<OfferBody>`select id, status, message from market_offer where id = any(${[answered.id, made.id]}::uuid[]) order by id`,
    )
    assert.deepEqual(
      states.map(each => [each.status, each.message]),
      [
        ['REJECTED', null],
        ['WITHDRAWN', null],
      ],
    )
  })
})
