import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

const DIST = new URL('../../web/dist/', import.meta.url)
const MOST_BYTES = 150_000

interface Chunk {
  file: string
  imports?: string[]
}
type Manifest = Record<string, Chunk | undefined>

/** Files that load with a chunk: its own, those that it imports, and those that they import. */
function filesOf(manifest: Manifest, name: string, known = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  assert.ok(chunk, `${name} is not in the build`)
  if (known.has(chunk.file)) return known
  known.add(chunk.file)
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, known)
  return known
}

const textOf = (path: string) => readFile(new URL(path, DIST), 'utf8')

test('the first page loads at most 150 KB of compressed script', async t => {
  const manifest = JSON.parse(await textOf('.vite/manifest.json')) as Manifest
  const entry = [...(await textOf('index.html')).matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)]
  assert.ok(entry.length > 0)
  const pages = { '/app/agents': 'sections/market/agents.tsx', '/login': 'sections/entrance/login.tsx' }
  for (const [path, source] of Object.entries(pages))
    await t.test(path, async context => {
      const files = new Set([...entry.map(([, file]) => file ?? ''), ...filesOf(manifest, source)])
      const sizes = await Promise.all(
        [...files].map(async file => (await readFile(new URL(`${file}.br`, DIST))).length),
      )
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      context.diagnostic(`${bytes} bytes in ${files.size} files`)
      assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`)
    })
})
