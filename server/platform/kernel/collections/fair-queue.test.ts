import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue, QueueFull, type FairQueueOptions } from './fair-queue.ts'

/** A queue whose tasks record their start and end on request. */
function open(options: FairQueueOptions) {
  const queue = new FairQueue(options)
  const started: string[] = []
  const ends: (() => void)[] = []
  const add = (key: string) =>
    queue.run(
      key,
      () =>
        new Promise<string>(resolve => {
          started.push(key)
          ends.push(() => resolve(key))
        }),
    )
  const endNext = async () => {
    ends.shift()?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  return { queue, started, add, endNext }
}

test('a key that waits is served before the next task of a key that was served already', async () => {
  const { queue, started, add, endNext } = open({ places: 1, perKey: 1, waiting: 40, waitingPerKey: 20 })
  const all = [...Array.from({ length: 10 }, () => add('a')), add('b'), add('c'), add('b')]
  for (let count = 0; count < 13; count++) await endNext()
  await Promise.all(all)
  assert.equal(started.slice(0, 6).join(''), 'abcaba')
  assert.equal(queue.size, 0)
})

test('one key takes no more than its share of the places', async () => {
  const { started, add, endNext } = open({ places: 4, perKey: 1, waiting: 40, waitingPerKey: 20 })
  const all = [...Array.from({ length: 10 }, () => add('a')), add('b')]
  assert.equal(started.join(''), 'ab')
  for (let count = 0; count < 11; count++) await endNext()
  assert.equal((await Promise.all(all)).length, 11)
})

test('a full waiting list refuses with 503, one key cannot fill it for the others', async () => {
  const { add, endNext } = open({ places: 1, perKey: 1, waiting: 4, waitingPerKey: 2 })
  const held = [add('a'), add('a'), add('a')]
  await assert.rejects(
    add('a'),
    (error: unknown) =>
      error instanceof QueueFull && error.row.status === 503 && error.extra.headers?.['Retry-After'] === '5',
  )
  held.push(add('b'), add('c'))
  await assert.rejects(add('d'), QueueFull)
  for (let count = 0; count < 5; count++) await endNext()
  await Promise.all(held)
})

test('a task that fails gives its place back', async () => {
  const queue = new FairQueue({ places: 1, perKey: 1, waiting: 1 })
  await assert.rejects(
    queue.run('a', async () => {
      throw new Error('broken')
    }),
    /broken/,
  )
  assert.equal(await queue.run('a', async () => 1), 1)
})

test('a task that waited too long is refused and does not run later', async () => {
  const { queue, started, add, endNext } = open({ places: 1, perKey: 1, waiting: 4, waitMs: 20 })
  const first = add('a')
  await assert.rejects(add('b'), QueueFull)
  await endNext()
  assert.deepEqual([await first, started, queue.size], ['a', ['a'], 0])
})

test('refused tasks do not change the order of the round', async () => {
  const { started, add, endNext } = open({ places: 1, perKey: 1, waiting: 2, waitingPerKey: 1 })
  const all = [add('a'), add('b'), add('c')]
  await assert.rejects(add('b'), QueueFull)
  for (let count = 0; count < 3; count++) await endNext()
  await Promise.all(all)
  assert.equal(started.join(''), 'abc')
})
