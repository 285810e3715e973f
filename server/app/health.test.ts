import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '#test'

test('readyz answers 503 before the service stops, which serves on and ends each connection', async () => {
  const service = await startTestService()
  try {
    assert.deepEqual((await service.http<{ status: string }>('GET', '/readyz')).body.status, 'ok')
    service.services.health.isLeaving = true
    const { status, body } = await service.http('GET', '/readyz')
    assert.deepEqual([status, body], [503, { status: 'stopping', database: 'not queried', latencyMs: 0 }])
    const served = await service.http('GET', '/agents')
    assert.deepEqual([served.status, served.headers.get('connection')], [200, 'close'])
    assert.equal((await service.http('GET', '/healthz')).status, 200)
  } finally {
    await service.close()
  }
})

test('healthz answers 503 when only a new start can help', async () => {
  const service = await startTestService()
  try {
    assert.deepEqual((await service.http('GET', '/healthz')).body, { status: 'ok' })
    service.services.health.failure = 'The embedded PostgreSQL cannot be started again'
    const { status, body } = await service.http('GET', '/healthz')
    assert.deepEqual(
      [status, body],
      [503, { status: 'failed', reason: 'The embedded PostgreSQL cannot be started again' }],
    )
  } finally {
    await service.close()
  }
})
