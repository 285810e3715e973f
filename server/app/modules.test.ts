import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { loadModules } from '#app'
import { MODULES } from '../modules/registry.ts'

const KERNEL = join(import.meta.dirname, '../platform/kernel/module.ts')

describe('the registry of modules', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-modules-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const add = async (name: string, source: string) => {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'module.ts'), source)
  }
  const definition = (name: string) =>
    `import { defineModule } from '${KERNEL}'\nexport default defineModule({ name: '${name}', create: () => ({}) })\n`

  test('gives every module of the service in its order', async () => {
    assert.deepEqual(
      (await loadModules()).map(({ name }) => name),
      MODULES,
    )
  })

  test('gives the modules in the order of the names, not of the folders', async () => {
    await add('aa', definition('aa'))
    await add('bb', definition('bb'))
    assert.deepEqual(
      (await loadModules(folder, ['bb', 'aa'])).map(({ name }) => name),
      ['bb', 'aa'],
    )
  })

  test('refuses a folder that is not registered', async () => {
    await add('vouchers', definition('vouchers'))
    await assert.rejects(
      loadModules(folder, []),
      /server\/modules\/vouchers is not registered.*add "vouchers" to server\/modules\/registry\.ts/,
    )
  })

  test('refuses a module whose file does not export its definition', async () => {
    await add('vouchers', definition('coupons'))
    await assert.rejects(
      loadModules(folder, ['vouchers']),
      /vouchers\/module\.ts must have the default export/,
    )
    await add('empty', 'export const nothing = 1\n')
    await assert.rejects(loadModules(folder, ['empty', 'vouchers']), /must have the default export/)
  })

  test('refuses a registered name without a folder', async () => {
    await assert.rejects(loadModules(folder, ['vouchers']), /vouchers\/module\.ts/)
  })
})
