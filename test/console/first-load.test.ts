import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

const DIST = new URL('../../web/dist/', import.meta.url)
const MOST_BYTES = 150_000

interface Chunk {
  file: string
  imports?: string[]
}

/** Names of the chunks that load with one: what it imports, and what that imports. */
function closureOf(manifest: Record<string, Chunk>, name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known
  known.add(name)
  for (const imported of manifest[name]?.imports ?? []) closureOf(manifest, imported, known)
  return known
}

test('the first page loads at most 150 KB of compressed script', async t => {
  const manifest = JSON.parse(await readFile(new URL('.vite/manifest.json', DIST), 'utf8')) as Record<
    string,
    Chunk
  >
  const pages = { '/app/agents': 'sections/market/agents.tsx', '/login': 'sections/entrance/login.tsx' }
  for (const [path, source] of Object.entries(pages))
    await t.test(path, async context => {
      assert.ok(manifest[source], `${source} is not a chunk of the build`)
      const names = [...closureOf(manifest, source, closureOf(manifest, 'index.html'))]
      const files = names.flatMap(name => manifest[name]?.file ?? [])
      const sizes = await Promise.all(
        files.map(async file => (await readFile(new URL(`${file}.br`, DIST))).length),
      )
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      context.diagnostic(`${bytes} bytes in ${files.length} files`)
      assert.ok(bytes > 50_000, 'the entry was not counted')
      assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`)
    })
})
