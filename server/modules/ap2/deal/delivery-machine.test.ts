import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#platform/kernel/errors'
import { planTransition } from '#platform/kernel/machine'
import {
  DELIVERY_STATES,
  deliveryMachine,
  type DeliveryEvent,
  type DeliveryTrigger,
} from './delivery-machine.ts'

const NOW = new Date('2026-01-12T09:30:00.000Z')
const EVENTS: readonly DeliveryEvent[] = ['verify', 'pass', 'fail', 'supersede']
const TRIGGERS: readonly DeliveryTrigger[] = ['seller', 'verifier', 'buyer']

/** From, event, trigger and to, as the description of the product has them. */
const ALLOWED = new Map([
  ['SUBMITTED verify verifier', 'VERIFYING'],
  ['VERIFYING pass verifier', 'VERIFIED'],
  ['VERIFYING fail verifier', 'FAILED'],
  ['VERIFIED supersede buyer', 'SUPERSEDED'],
])

test('a delivery takes exactly the transitions of its table; any other is 409 and changes nothing', () => {
  for (const status of DELIVERY_STATES) {
    for (const event of EVENTS) {
      for (const by of TRIGGERS) {
        const row = { id: 'a', status }
        const plan = () => planTransition(deliveryMachine, row, { event, by }, NOW)
        const to = ALLOWED.get(`${status} ${event} ${by}`)
        if (to === undefined) {
          assert.throws(
            plan,
            (error: unknown) => error instanceof ApiError && error.row.status === 409,
            `${event} by ${by} while ${status}`,
          )
          continue
        }
        const { row: moved, line } = plan()
        assert.deepEqual([moved.status, line.fromStatus, line.toStatus, line.actor], [to, status, to, by])
      }
    }
  }
})
