import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

interface LockedPackage {
  version?: string
  license?: string
  dev?: boolean
  link?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}
export type Packages = Record<string, LockedPackage>

/** Tools of the console: they build or check it, and nothing of them is in `web/dist`. */
const WEB_TOOLS = /^(?:@types\/.*|@vitejs\/.*|openapi-typescript|typescript|vite)$/

/** The packages of the lock file, by their folder. */
export const lockedPackages = async (): Promise<Packages> =>
  (JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Packages }).packages

/**
 * The packages that reach users, by their folder: what the server loads, and what is built into the web console, whose
 * libraries are development dependencies because only the built files are installed.
 */
export function shippedPackages(packages: Packages): Packages {
  const isLibrary = (path: string): boolean => path.includes('node_modules/') && !packages[path]?.link
  const shipped = new Set(
    Object.keys(packages).filter(path => isLibrary(path) && packages[path]?.dev !== true),
  )
  const libraries = Object.keys(packages.web?.devDependencies ?? {}).filter(name => !WEB_TOOLS.test(name))
  addWithDependencies(packages, 'web', libraries, shipped)
  return Object.fromEntries([...shipped].toSorted().map(path => [path, packages[path] ?? {}]))
}

function addWithDependencies(
  packages: Packages,
  from: string,
  names: readonly string[],
  found: Set<string>,
): void {
  for (const name of names) {
    const path = resolve(packages, from, name)
    if (path === undefined || found.has(path)) continue
    found.add(path)
    const { dependencies, optionalDependencies } = packages[path] ?? {}
    addWithDependencies(packages, path, Object.keys({ ...dependencies, ...optionalDependencies }), found)
  }
}

/** Where Node finds a package: in the nearest `node_modules` upwards. An optional one may be absent. */
function resolve(packages: Packages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder ? `${folder}/` : ''}node_modules/${name}`
    if (packages[path]) return path
    if (!folder) return undefined
  }
}

/** The name of the package in a folder of the lock file. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13)
