import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openTestDb, type TestDb } from '#test'
import { Bindings, type Binding } from './bindings.ts'
import { definePort, requireImplementations } from './ports.ts'

const price = definePort<string, number>('shop.price', 'one')
const guard = definePort<string>('shop.guard', 'all')
const extras = definePort<string, string>('shop.extras', 'collect')
const payment = definePort<string, string, 'card' | 'cash'>('shop.payment', 'by-key', ['card', 'cash'])

describe('a call of a port', () => {
  let t: TestDb
  before(async () => {
    t = await openTestDb()
    t.bindings.add('upper', [
      price.with(async (_tx, item) => item.length),
      guard.with(async (_tx, item) => {
        if (item === 'poison') throw new Error('poison is not sold')
      }),
      extras.with(async (_tx, item) => `${item} box`),
      payment.with('card', async (_tx, item) => `${item} by card`),
      payment.with('cash', async (_tx, item) => `${item} in cash`),
    ])
    t.bindings.add('top', [extras.with(async (_tx, item) => `${item} ribbon`)])
  })
  after(() => t.close())

  test('with one implementation returns its value', async () => {
    assert.equal(await t.db.transaction(tx => price.call(tx, 'rose')), 4)
  })

  test('with guards throws what a guard throws', async () => {
    await t.db.transaction(tx => guard.call(tx, 'rose'))
    await assert.rejects(
      t.db.transaction(tx => guard.call(tx, 'poison')),
      /poison is not sold/,
    )
  })

  test('that collects returns the values in the order of the modules', async () => {
    assert.deepEqual(await t.db.transaction(tx => extras.call(tx, 'rose')), ['rose box', 'rose ribbon'])
  })

  test('by key runs the implementation of that key', async () => {
    assert.equal(await t.db.transaction(tx => payment.call(tx, 'cash', 'rose')), 'rose in cash')
    assert.deepEqual([payment.isKey('card'), payment.isKey('gold')], [true, false])
  })
})

describe('the start of the service', () => {
  const pay = async () => 'paid'

  function bind(...bound: Binding[]): Bindings {
    const bindings = new Bindings()
    bindings.add('upper', bound)
    return bindings
  }
  const all = [price.with(async () => 1), payment.with('card', pay), payment.with('cash', pay)]

  test('accepts one implementation per port and key, and none for guards and contributions', () => {
    requireImplementations([price, guard, extras, payment], bind(...all))
  })

  test('refuses a port without its implementation', () => {
    assert.throws(
      () => requireImplementations([price, payment], bind(...all.slice(1))),
      /no module implements the port shop\.price: add an implementation to "provides"/,
    )
  })

  test('refuses a port without the implementation of a key', () => {
    assert.throws(
      () => requireImplementations([payment], bind(payment.with('card', pay))),
      /no module implements the port shop\.payment for cash/,
    )
  })

  test('refuses two implementations of one port or key', () => {
    for (const extra of [price.with(async () => 2), payment.with('card', pay)]) {
      const bindings = bind(...all)
      bindings.add('top', [extra])
      assert.throws(
        () => requireImplementations([price, payment], bindings),
        /the port shop\.\w+( for card)? takes one implementation and has several \(upper and top\)/,
      )
    }
  })

  test('refuses an implementation of a port that no module declares', () => {
    assert.throws(
      () => requireImplementations([price], bind(...all)),
      /upper implements the port shop\.payment, which no module declares/,
    )
  })
})
