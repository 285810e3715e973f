import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Task } from '@a2a-js/sdk'
import { must, openMarket, sharedService, type Market, type TestService } from '#test'

let service: TestService
let market: Market
before(async () => {
  service = await sharedService()
  market = await openMarket(service)
})
after(() => service.close())

interface Sent {
  messageId: string
  taskId?: string
  action?: 'release' | 'changes'
}

const send = async ({ messageId, taskId, action }: Sent) => {
  const { body } = await service.http<{ result?: Task; error?: { code: number; message: string } }>(
    'POST',
    `/a2a/agents/${market.agent.id}`,
    {
      token: market.buyer.token,
      body: {
        jsonrpc: '2.0',
        id: 'x',
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            role: 'user',
            messageId,
            ...(taskId && { taskId }),
            parts: [{ kind: 'text', text: 'Translate' }],
          },
          metadata: { budget: 5, ...(action && { action }) },
        },
      },
    },
  )
  return body
}
const deliver = (negotiationId: string, result: string) =>
  must(market, 'seller', '/ap2/deliver', { negotiationId, result })

/** A task of the buyer that was delivered. */
async function deliveredTask(name: string): Promise<string> {
  const { result } = await send({ messageId: `${name}-hire` })
  assert.ok(result)
  await deliver(result.id, 'draft')
  return result.id
}

test('a release that is repeated is answered with the task that it paid', async () => {
  const taskId = await deliveredTask('release')
  const release: Sent = { messageId: 'release', taskId, action: 'release' }
  const answers = await Promise.all(Array.from({ length: 4 }, () => send(release)))
  for (const { result, error } of [...answers, await send(release)])
    assert.deepEqual([result?.id, result?.status.state, error], [taskId, 'completed', undefined])
})

test('a request for changes that is repeated sends no later delivery back', async () => {
  const taskId = await deliveredTask('changes')
  const changes: Sent = { messageId: 'changes', taskId, action: 'changes' }
  assert.equal((await send(changes)).result?.status.state, 'working')
  assert.equal((await send(changes)).result?.status.state, 'working')
  await deliver(taskId, 'final')
  assert.equal((await send(changes)).result?.status.state, 'input-required')
  assert.equal((await send({ ...changes, messageId: 'changes-2' })).result?.status.state, 'working')
})

test('refuses the id of a message to one task for another task, and for a hire', async () => {
  const [first, second] = [await deliveredTask('first'), await deliveredTask('second')]
  const messageId = 'used'
  await send({ messageId, taskId: first, action: 'release' })
  for (const again of [{ messageId, taskId: second, action: 'release' } as const, { messageId }])
    assert.equal((await send(again)).error?.code, -32602)
  assert.equal((await must(market, 'buyer', `/ap2/negotiations/${second}`)).status, 'DELIVERED')
})

test('a message that was refused does its work when it is sent again', async () => {
  const { result } = await send({ messageId: 'early-hire' })
  assert.ok(result)
  const release: Sent = { messageId: 'early', taskId: result.id, action: 'release' }
  assert.equal((await send(release)).error?.code, -32004)
  await deliver(result.id, 'done')
  assert.equal((await send(release)).result?.status.state, 'completed')
})

test('answers a call whose id is any number with the same id', async () => {
  for (const id of [0, -1, 0.5, 1e21]) {
    const { status, body } = await service.http<{ id: number; result?: Task }>('POST', '/a2a', {
      token: market.buyer.token,
      body: {
        jsonrpc: '2.0',
        id,
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            role: 'user',
            messageId: `id-${id}`,
            parts: [{ kind: 'text', text: 'Translate' }],
          },
          metadata: { agentId: market.agent.id, budget: 5 },
        },
      },
    })
    assert.deepEqual([status, body.id, body.result?.kind], [200, id, 'task'])
  }
})

test('deletes the ids of the messages with the account', async () => {
  const taskId = await deliveredTask('leaving')
  await send({ messageId: 'leaving', taskId, action: 'release' })
  const stored = async () => {
    const { rows } = await service.services.db.pool.query<{ messageId: string }>(
      'select message_id as "messageId" from a2a_message where account_id = $1',
      [market.buyer.id],
    )
    return rows.map(({ messageId }) => messageId)
  }
  assert.ok((await stored()).includes('leaving'))
  assert.equal((await service.http('DELETE', '/users/me', { token: market.buyer.token })).status, 204)
  assert.deepEqual(await stored(), [])
})
