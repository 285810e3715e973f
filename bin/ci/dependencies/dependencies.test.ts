import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { suite, test } from 'node:test'
import { freePort } from '#test'
import { lockedPackages, nameOf, shippedPackages } from '../../shipped-packages.ts'
import { askRegistry, weaknessesOf } from './audit.ts'
import { isAllowed } from './licenses.ts'

suite('dependencies', () => {
  test('what is shipped contains the libraries of the console, and no tool', async () => {
    const names = new Set(Object.keys(shippedPackages(await lockedPackages())).map(nameOf))
    for (const name of ['fastify', 'pg', '@mantine/core', 'recharts', 'scheduler', 'd3-scale', 'node'])
      assert.ok(names.has(name), name)
    for (const name of ['rolldown', 'vite', 'oxlint', 'axe-core', 'openapi-typescript'])
      assert.ok(!names.has(name), name)
  })

  test('a license is allowed by its SPDX expression', () => {
    for (const license of ['MIT', '(MIT OR CC0-1.0)', 'GPL-3.0-only OR Apache-2.0', 'MIT AND ISC'])
      assert.ok(isAllowed(license), license)
    for (const license of ['GPL-3.0-only', 'MIT AND AGPL-3.0-only', 'none', 'SEE LICENSE IN LICENSE'])
      assert.ok(!isAllowed(license), license)
  })

  test('a registry that cannot be asked is named, and is no pass in silence', async () => {
    const audit = askRegistry(`--registry=http://127.0.0.1:${await freePort()}/`)
    assert.ok('notAsked' in audit && audit.notAsked.length > 10, JSON.stringify(audit))
  })

  test('a weakness counts if its package is shipped and it is not low', () => {
    const advisory = (severity: string) => ({ severity, title: 'Flaw', url: 'https://example.com/1' })
    const vulnerabilities = {
      fastify: { via: [advisory('high'), advisory('low'), 'qs'], nodes: ['node_modules/fastify'] },
      oxlint: { via: [advisory('critical')], nodes: ['node_modules/oxlint'] },
    }
    assert.deepEqual(weaknessesOf({ vulnerabilities }, { 'node_modules/fastify': {} }), [
      'fastify: high: Flaw (https://example.com/1)',
    ])
  })

  test('npm run sbom writes what is shipped, with versions and licenses', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-sbom-'))
    const file = join(folder, 'sbom.json')
    execFileSync('npm', ['run', '--silent', 'sbom', '--', file])
    const bom = JSON.parse(await readFile(file, 'utf8')) as {
      bomFormat: string
      metadata: { component: { name: string } }
      components: { name: string; version: string; licenses: unknown[] }[]
    }
    await rm(folder, { recursive: true })
    assert.deepEqual([bom.bomFormat, bom.metadata.component.name], ['CycloneDX', 'svc'])
    const listed = new Set(bom.components.map(({ name, version }) => `${name}@${version}`))
    const shipped = Object.entries(shippedPackages(await lockedPackages()))
    assert.deepEqual(
      shipped.filter(([path, { version }]) => !listed.has(`${nameOf(path)}@${version}`)),
      [],
    )
    assert.ok(bom.components.every(({ licenses }) => licenses.length))
  })
})
