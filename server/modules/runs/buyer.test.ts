import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { fund, publishAgent, registerHuman, sharedService, type Person, type TestService } from '#test'
import { BudgetTrial } from '../../../test/support/organizations/budgets.ts'
import type { RunView } from '../../../test/support/people/runs.ts'

const PRICE = { pricing: { model: 'per_call', amount: 10, currency: 'USD' } }

/** Who reads and decides a run: its buyer may change after it was bought. */
suite('the buyer of a run', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const send = <Body = RunView>(token: string, path: string, body: object = {}) =>
    service.http<Body>('POST', path, { token, body })
  const decide = ({ token }: Person, id: string, verb: string) => send(token, `/agents/my-runs/${id}/${verb}`)
  const read = ({ token }: Person, id: string) =>
    service.http<RunView>('GET', `/agents/my-runs/${id}`, { token })
  async function must<Body>(token: string, path: string, body?: object): Promise<Body> {
    const answer = await send<Body>(token, path, body)
    assert.ok(answer.status <= 201, answer.text)
    return answer.body
  }

  test('a MEMBER reads the run of its organization, an OWNER or ADMIN decides', async () => {
    const trial = await BudgetTrial.open(service)
    await trial.begin()
    for (const staff of [trial.admin, trial.owner]) {
      const bought = await trial.send<{ execution: RunView }>(
        'POST',
        `/agents/${trial.market.agent.id}/execute`,
        { input: {}, budget: 10, sourceWalletId: trial.walletId },
        trial.admin,
      )
      assert.equal(bought.status, 201, bought.text)
      const { id } = bought.body.execution
      for (const verb of ['cancel', 'approve', 'reject'])
        assert.equal((await decide(trial.member, id, verb)).status, 403, verb)
      const seen = await read(trial.member, id)
      assert.deepEqual([seen.status, seen.body.status], [200, 'PENDING'])
      const cancelled = await decide(staff, id, 'cancel')
      assert.deepEqual([cancelled.status, cancelled.body.payment], [200, 'REFUNDED'])
    }
  })

  /** Runs that an announced agent buys above and below the threshold, and the account that claims it. */
  async function claimedBuyer() {
    const [creator, claimer, seller] = [
      await registerHuman(service),
      await registerHuman(service),
      await registerHuman(service),
    ]
    const announced = await must<{ agent_id: string; claim_url: string }>(creator.token, '/agents/announce', {
      name: 'Buyer',
    })
    const { agent_id: agentId, claim_url: url } = announced
    await must(creator.token, `/agents/${agentId}/publish`)
    const { body } = await service.http<{ walletId: string }>('GET', `/agents/${agentId}`, {
      token: creator.token,
    })
    await fund(service, { ...creator, walletId: body.walletId }, 200)
    const sold = await publishAgent(service, seller, PRICE)
    const buy = async () => {
      const order = { input: 'go', initiatorAgentId: agentId, sourceWalletId: body.walletId }
      return (await must<{ execution: RunView }>(creator.token, `/agents/${sold.id}/execute`, order))
        .execution
    }
    const cancelled = await buy()
    await must(creator.token, `/agents/my-runs/${cancelled.id}/cancel`)
    const pending = await buy()
    const budget = await service.http('PATCH', `/agents/${agentId}/budget`, {
      token: creator.token,
      body: { approvalThreshold: 5 },
    })
    assert.equal(budget.status, 200, budget.text)
    const waiting = [await buy(), await buy()]
    await must(claimer.token, `/agents/claim/${url.split('/').at(-1)}`)
    return { creator, claimer, cancelled, pending, waiting }
  }

  test('live runs of a claimed agent belong to the claimer, ended ones stay', async () => {
    const { creator, claimer, cancelled, pending, waiting } = await claimedBuyer()
    const [first, second] = waiting
    assert.ok(first && second)
    assert.deepEqual([first.status, pending.status], ['AWAITING_APPROVAL', 'PENDING'])
    for (const { id } of [first, second, pending]) {
      assert.equal((await read(creator, id)).status, 403)
      assert.equal((await decide(creator, id, 'cancel')).status, 403)
      assert.equal((await read(claimer, id)).status, 200)
    }
    assert.equal((await decide(claimer, first.id, 'approve')).body.status, 'PENDING')
    assert.equal((await decide(claimer, second.id, 'reject')).body.payment, 'REFUNDED')
    assert.equal((await decide(claimer, pending.id, 'cancel')).body.payment, 'REFUNDED')
    const listed = async ({ token }: Person) =>
      (await service.http<{ items: RunView[] }>('GET', '/agents/my-runs', { token })).body.items
        .map(({ id }) => id)
        .toSorted()
    assert.deepEqual(await listed(claimer), [first.id, second.id, pending.id].toSorted())
    assert.deepEqual(await listed(creator), [cancelled.id])
  })
})
