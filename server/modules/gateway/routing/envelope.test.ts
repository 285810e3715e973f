import assert from 'node:assert/strict'
import process from 'node:process'
import { test } from 'node:test'
import { stripEnvelope } from './envelope.ts'

test('an element that an agent added is removed, whatever the case of its tags', () => {
  for (const [text, stripped] of [
    ['<environment_details>src</environment_details>Fix it', 'Fix it'],
    ['<Environment_Details>src</environment_DETAILS>Fix it', 'Fix it'],
    ['İ<user_info>Linux</user_info> Fix it', 'İ Fix it'],
    ['<task>Fix it</task>', 'Fix it'],
    ['<rules>Fix it', '<rules>Fix it'],
  ] as const)
    assert.equal(stripEnvelope(text), stripped)
})

test('tags that are never closed take no longer for being written in many ways', () => {
  const name = 'environment_details'.split('')
  const written = (n: number) =>
    `<${name.map((letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter)).join('')}>`
  const time = (tags: string[]): number => {
    const text = `${tags.join('')}</`
    const times = [1, 2, 3].map(() => {
      const before = process.threadCpuUsage()
      for (let n = 0; n < 20; n++) stripEnvelope(text)
      const { user, system } = process.threadCpuUsage(before)
      return user + system
    })
    return Math.min(...times)
  }
  const tags = Array.from({ length: 3000 }, (_, n) => written(n))
  const [one, many] = [time(tags.map(() => written(0))), time(tags)]
  assert.ok(many < 5 * Math.max(one, 2000), `${many} us, written in one way ${one} us`)
})
