import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '#test'

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
