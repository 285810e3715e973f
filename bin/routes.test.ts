import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { describeApi } from './openapi.ts'
import { linesOf, listRoutes } from './routes.ts'

const ROOT = join(import.meta.dirname, '..')

test('every documented operation and every page is listed with the line that registers it', async () => {
  const routes = await listRoutes()
  const listed = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  const { paths } = await describeApi({ all: true })
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
  )
  assert.deepEqual(
    operations.filter(operation => !listed.has(operation)),
    [],
  )
  for (const { method, path, file, line } of routes) {
    const text = (await readFile(join(ROOT, file), 'utf8')).split('\n')[line - 1] ?? ''
    assert.match(
      text,
      /\b(?:route|\w*command|\w*operation|query|get|page)\w*\(/i,
      `${method} ${path}: ${file}:${line} is "${text}"`,
    )
  }
})

test('npm run routes finds a route by its path, by a part of it and by a concrete address; an unknown one is an error', async () => {
  const routes = await listRoutes()
  const found = (wanted: string) => linesOf(routes, wanted).join('\n')
  assert.match(
    found('/ap2/deliver'),
    /^POST {3}\/ap2\/deliver +server\/modules\/ap2\/delivery\/routes\.ts:\d+$/m,
  )
  assert.match(found('POST /auth/register'), /^POST {3}\/auth\/register +server\/modules\//m)
  assert.match(
    found('/agents/0198c0de-0000-7000-8000-000000000001/publish'),
    /^POST {3}\/agents\/\{id\}\/publish /m,
  )
  // One process: each start loads the whole service.
  const unknown = spawnSync(process.execPath, ['bin/routes.ts', '/no/such/path'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  assert.deepEqual([unknown.status, unknown.stdout], [1, ''])
  assert.match(unknown.stderr, /No route contains or serves \/no\/such\/path/)
})

test('npm run soak -- --help prints help and runs nothing; an unknown option is refused', () => {
  const soak = (word: string) =>
    spawnSync(process.execPath, ['test/soak/index.ts', word], { cwd: ROOT, encoding: 'utf8' })
  const help = soak('--help')
  assert.deepEqual([help.status, help.stderr], [0, ''])
  assert.match(help.stdout, /^Usage: npm run soak\n/)
  assert.equal(soak('--rounds').status, 64)
})
