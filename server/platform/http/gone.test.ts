import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { goneSignal } from './gone.ts'

test('all requests of a connection have one signal and one listener', () => {
  const socket = new Socket()
  const before = socket.listenerCount('close')
  const signals = new Set(Array.from({ length: 100 }, () => goneSignal(socket)))
  assert.deepEqual([signals.size, socket.listenerCount('close')], [1, before + 1])
  socket.emit('close')
  assert.deepEqual(
    [...signals].map(signal => signal.aborted),
    [true],
  )
})

test('the signal of a connection that has ended is aborted', () => {
  const socket = new Socket()
  socket.destroy()
  assert.equal(goneSignal(socket).aborted, true)
})
