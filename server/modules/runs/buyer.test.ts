import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sharedService, type Person, type TestService } from '#test'
import { BudgetTrial } from '../../../test/support/organizations/budgets.ts'
import type { RunView } from '../../../test/support/people/runs.ts'

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
})
