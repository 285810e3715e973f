import { cp, mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

/** A copy of the service in a new folder, for `startServerProcess`: another version, when its files are changed. */
export async function copyService(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'svc-copy-'))
  for (const path of ['server', 'docs', 'package.json'])
    await cp(join(ROOT, path), join(root, path), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  return root
}
