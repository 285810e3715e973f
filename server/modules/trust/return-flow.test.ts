import assert from 'node:assert/strict'
import { test } from 'node:test'
import { returnedShares, type Payment } from './return-flow.ts'

const RING = ['a', 'b', 'c', 'd', 'e']
const pay = (payer: string, payee: string, amount = 100): Payment => ({ payer, payee, amount })
const at = (index: number) => RING[index % RING.length] ?? ''
const rounded = (shares: Map<string, number>) =>
  Object.fromEntries([...shares].map(([id, share]) => [id, Math.round(share * 1000) / 1000]))

test('returns nothing for a seller that buys nothing, or from others than its buyers', () => {
  assert.deepEqual(returnedShares('s', [pay('a', 's'), pay('b', 's'), pay('a', 'b')]).size, 0)
  assert.deepEqual(returnedShares('s', [pay('a', 's'), pay('s', 'x'), pay('x', 'y')]).size, 0)
})

test('all money returns in a circle of five, also what remains of it after the fee of each deal', () => {
  const constant = RING.map((payer, index) => pay(payer, at(index + 1)))
  const shrinking = RING.map((payer, index) => pay(payer, at(index + 1), 100 * 0.8 ** index))
  for (const seller of RING) assert.deepEqual([...returnedShares(seller, constant).values()], [1], seller)
  assert.equal(returnedShares('b', shrinking).get('a')?.toFixed(6), '1.000000')
})

test('all money returns where each of five buys from each, or each pair trades in one direction', () => {
  const mesh = RING.flatMap(payer => RING.filter(payee => payee !== payer).map(payee => pay(payer, payee)))
  const oneWay = RING.flatMap((payer, index) => [pay(payer, at(index + 1)), pay(payer, at(index + 2))])
  for (const payments of [mesh, oneWay])
    for (const seller of RING)
      for (const share of returnedShares(seller, payments).values()) assert.ok(share > 0.999, seller)
})

test('money that is split over several ways back is added up, and returns once', () => {
  const split = [pay('b', 's'), ...['x', 'y', 'z'].flatMap(via => [pay('s', via, 20), pay(via, 'b', 16)])]
  assert.deepEqual(rounded(returnedShares('s', split)), { b: 0.75 })
  const once = [pay('a', 's'), pay('b', 's'), pay('s', 'x', 80), pay('x', 'a', 64), pay('x', 'b', 64)]
  const total = [...returnedShares('s', once).values()].reduce((sum, share) => sum + share, 0)
  assert.equal(total.toFixed(6), '1.000000')
})

test('a seller that spends a little with one of its buyers loses that little', () => {
  const buyers = ['a', 'b', 'c', 'd'].map(buyer => pay(buyer, 's'))
  assert.deepEqual(rounded(returnedShares('s', [...buyers, pay('s', 'a', 8)])), { a: 0.1 })
})

test('a large network is searched in reasonable time', () => {
  const accounts = Array.from({ length: 200 }, (_, index) => `account ${index}`)
  const payments = accounts.flatMap((payer, index) =>
    Array.from({ length: 20 }, (_, step) =>
      pay(payer, accounts[(index * 7 + step * step + 1) % 200] ?? '', 10 + ((index * step) % 90)),
    ).filter(({ payee }) => payee !== payer),
  )
  assert.ok(returnedShares('account 0', payments).size > 10)
})
