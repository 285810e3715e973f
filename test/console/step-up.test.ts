import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onStepUp, requestStepUp } from '../../web/api/step-up.ts'

test('operations that want a proof at the same moment share one dialog', async () => {
  const dialogs: ((isProved: boolean) => void)[] = []
  onStepUp(() => new Promise(resolve => dialogs.push(resolve)))
  for (const isProved of [true, false]) {
    const answers = Promise.all([requestStepUp(), requestStepUp()])
    assert.equal(dialogs.length, 1)
    dialogs.pop()?.(isProved)
    assert.deepEqual(await answers, [isProved, isProved])
  }
})
