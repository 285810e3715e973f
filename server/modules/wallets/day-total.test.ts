import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { fund, publishAgent, registerHuman, startTestService, type Person, type TestService } from '#test'

/** What leaves an account without a proof, and what one admin moves without another, is counted by the day. */
suite('daily sum of transfers', () => {
  let service: TestService
  let sender: Person
  let receiver: Person
  before(async () => {
    service = await startTestService({ TRANSFER_STEP_UP_USD: '10', ADMIN_TRANSFER_LIMIT_USD: '10' })
  })
  after(() => service.close())

  const open = async () => {
    sender = await registerHuman(service)
    receiver = await registerHuman(service)
    await fund(service, sender, 100)
  }
  const age = () =>
    service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '6 minutes', proved_at = null where account_id = $1`,
      [sender.id],
    )
  const send = async (amount: number | string, toWalletId = receiver.walletId) => {
    const answer = await service.http<{ code?: string }>('POST', `/wallets/${sender.walletId}/transfer`, {
      token: sender.token,
      body: { toWalletId, amount },
    })
    return answer.status === 403 ? answer.body.code : answer.status
  }

  test('limits an old session to the daily sum, without step-up', async () => {
    await open()
    assert.equal(await send(20), 201)
    await age()
    assert.deepEqual(
      [await send(6), await send('4.01'), await send(4), await send('0.01')],
      [201, 'STEP_UP_REQUIRED', 201, 'STEP_UP_REQUIRED'],
    )
    const proof = { password: 'correct horse battery staple' }
    assert.equal(
      (await service.http('POST', '/auth/step-up', { token: sender.token, body: proof })).status,
      200,
    )
    assert.equal(await send(30), 201)
    await age()
    assert.equal(await send(1), 'STEP_UP_REQUIRED')
    await service.advance(24 * 3600)
    assert.equal(await send(1), 201)
  })

  test('does not exceed the daily sum with parallel transfers', async () => {
    await open()
    await age()
    const answers = await Promise.all(Array.from({ length: 16 }, () => send(3)))
    assert.equal(answers.filter(status => status === 201).length, 3)
    assert.equal(answers.filter(status => status === 'STEP_UP_REQUIRED').length, 13)
  })

  test('does not count transfers between wallets of one account', async () => {
    await open()
    const { walletId } = await publishAgent(service, sender)
    await age()
    assert.equal(await send(50, walletId), 201)
  })

  test('counts what goes to an agent of the sender that somebody with a link may claim', async () => {
    await open()
    const announced = await service.http<{ agent_id: string; claim_url: string }>(
      'POST',
      '/agents/announce',
      {
        token: sender.token,
        body: { name: 'On its way' },
      },
    )
    const { agent_id: agentId, claim_url: link } = announced.body
    const { body: wallet } = await service.http<{ id: string }>('GET', `/wallets/agent/${agentId}`, {
      token: sender.token,
    })
    await age()
    assert.deepEqual([await send(50, wallet.id), await send(9, wallet.id)], ['STEP_UP_REQUIRED', 201])
    // Its own account, but the owner of the agent is another one from here on.
    const claimed = await service.http('POST', `/agents/claim/${link.split('/').at(-1)}`, {
      token: receiver.token,
    })
    assert.equal(claimed.status, 200, claimed.text)
  })

  test('counts the daily sum of each admin and requires step-up', async () => {
    await open()
    const token = await service.adminToken()
    const move = (amount: number) =>
      service.http<{ code?: string; approval?: object }>('POST', '/wallets/transfer', {
        token,
        body: { fromWalletId: sender.walletId, toWalletId: receiver.walletId, amount, reason: 'correction' },
      })
    const isMoved = async (amount: number) => {
      const { status, body, text } = await move(amount)
      assert.equal(status, 201, text)
      return body.approval === undefined
    }
    assert.deepEqual(
      [await isMoved(6), await isMoved(5), await isMoved(4), await isMoved(1)],
      [true, false, true, false],
    )
    await service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '6 minutes'`,
    )
    const { status, body } = await move(1)
    assert.deepEqual([status, body.code], [403, 'STEP_UP_REQUIRED'])
  })
})
