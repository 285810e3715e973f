import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inputsOf, tokenBound } from './input.ts'
import { vectorsOf } from './vectors.ts'

test('an input is one text, several texts, or tokens', () => {
  assert.deepEqual(inputsOf('a'), ['a'])
  assert.deepEqual(inputsOf(['a', 'b']), ['a', 'b'])
  assert.deepEqual(inputsOf([1, 2]), [[1, 2]])
  assert.deepEqual(inputsOf([[1, 2], [3]]), [[1, 2], [3]])
})

test('the bound of the tokens is their bytes, up to what the model takes', () => {
  assert.equal(tokenBound('äb', 100), 5)
  assert.equal(tokenBound(['ab', 'c'.repeat(500)], 100), 104)
  assert.equal(tokenBound([[1, 2, 3]], 100), 5)
})

test('vectors take the form that was asked for, whatever the provider sent', () => {
  const data = [{ object: 'embedding', index: 0, embedding: [0.5, -1] }]
  const base64 = Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64')
  assert.deepEqual(vectorsOf(data, 1, 'base64')?.[0]?.embedding, base64)
  assert.deepEqual(vectorsOf([{ embedding: base64 }], 1, 'float')?.[0]?.embedding, [0.5, -1])
  assert.deepEqual(vectorsOf(data, 1, 'float'), data)
})

test('what is no vector, or not one for each input, is not passed on', () => {
  assert.equal(vectorsOf(undefined, 1, 'float'), null)
  assert.equal(vectorsOf([], 1, 'float'), null)
  assert.equal(vectorsOf([{ embedding: ['a'] }], 1, 'float'), null)
  assert.equal(vectorsOf([{ embedding: [] }], 1, 'float'), null)
})
