import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { AffiliateTrial, dumpOf, registerHuman, sharedService, type TestService } from '#test'

suite('the affiliate profile of a deleted account', () => {
  let service: TestService
  let trial: AffiliateTrial
  before(async () => {
    service = await sharedService()
    trial = new AffiliateTrial(service, await service.adminToken())
  })
  after(() => service.close())

  const remove = async (token: string) =>
    assert.equal((await service.http('DELETE', '/users/me', { token })).status, 204)

  test('cannot be reactivated: nobody could be paid what it would earn', async () => {
    const earner = await trial.affiliate()
    const market = await trial.market(earner)
    await remove(earner.token)
    const { status, body } = await service.http<{ message: string; hint: string }>(
      'POST',
      `/affiliates/admin/${earner.profileId}/reactivate`,
      { token: trial.admin, body: {} },
    )
    assert.deepEqual(
      [status, body.message, body.hint],
      [409, 'Cannot reactivate while DELETED', 'The account of the affiliate has been deleted'],
    )
    const { commission } = await trial.release(market, await trial.delivered(market))
    assert.equal(commission, '0.00')
  })

  test('does not keep the code that the person chose, and another person can take it', async () => {
    const code = 'Ada-Lovelace-1815'
    const apply = async (token: string) =>
      service.http<{ id: string; code: string }>('POST', '/affiliates/apply', {
        token,
        body: { code, displayName: 'Ada', acceptTerms: true },
      })
    const person = await registerHuman(service)
    const { body } = await apply(person.token)
    await trial.decide(`/affiliates/admin/${body.id}/review`, { decision: 'approve' })
    await trial.referred({ code })
    await remove(person.token)
    const dump = [...(await dumpOf(service.databaseUrl)).values()].join('\n').toLowerCase()
    assert.equal(dump.includes(code.toLowerCase()), false)
    const next = await apply((await registerHuman(service)).token)
    assert.deepEqual([next.status, next.body.code], [201, code])
  })
})
