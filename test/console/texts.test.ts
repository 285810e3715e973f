import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const TEXTS = join(import.meta.dirname, '../../web/texts')
const catalog = async (language: string) =>
  JSON.parse(await readFile(join(TEXTS, `${language}.json`), 'utf8')) as Record<string, string>
const placeholders = (text = ''): string[] => [...new Set(text.match(/\{\w+\}/g))].sort()

test('both languages have the same texts with the same placeholders', async () => {
  const [english, german] = [await catalog('en'), await catalog('de')]
  assert.ok(Object.keys(english).length > 1000)
  assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort())
  for (const [key, text] of Object.entries(english))
    assert.deepEqual(placeholders(german[key]), placeholders(text), key)
})
