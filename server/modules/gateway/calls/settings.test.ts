import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '#test'

test('a deadline of a model that the catalog lacks is logged at the start', async () => {
  const service = await startTestService({
    GATEWAY_DEADLINES: 'gpt-5.4=1000/2000,deepseek-flash=1000/2000',
    LOG_LEVEL: 'warn',
  })
  await service.close()
  const warnings = service.logged.filter(line => line.includes('GATEWAY_DEADLINES'))
  assert.equal(warnings.length, 1)
  assert.match(warnings.join(), /"models":\["gpt-5\.4"\]/)
})
