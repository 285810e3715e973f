import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHAT_MODELS } from '../catalog/data/models.ts'
import { INITIAL_PRICES } from '../catalog/data/prices.ts'
import { planReservation } from './plan-reservation.ts'

const [model] = CHAT_MODELS
const price = INITIAL_PRICES.find(each => each.model === model?.id)

/** What a request with this limit reserves where the API takes no lower one than `leastLimit`. */
function planFor(maxTokens: number, leastLimit: number) {
  assert.ok(model && price)
  return planReservation({
    model,
    price,
    request: { model: model.id, messages: [], max_tokens: maxTokens },
    promptBound: 100,
    extraOutput: 0,
    thinksBeyondLimit: false,
    leastLimit,
    at: new Date(),
    maxPrice: null,
  })
}

test('a limit that the API refuses is raised to its lowest, and reserved', () => {
  const raised = planFor(5, 16)
  const named = planFor(16, 16)
  assert.deepEqual([raised.minimum, raised.wanted], [named.minimum, named.wanted])
  assert.equal(raised.maxTokensFor(raised.minimum), 16)
  const taken = planFor(5, 1)
  assert.equal(taken.maxTokensFor(taken.minimum), 5)
  assert.ok(taken.minimum < raised.minimum)
})
