import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

/** A code sample of the documentation. */
export interface Fence {
  /** File, heading and, from the second one below a heading on, its number: `docs/SDK.md#Buy`, `README.md#Start 2`. */
  key: string
  /** Empty for drawings. */
  language: string
  code: string
}

/** Every code sample of the documentation. */
export async function allFences(): Promise<Fence[]> {
  const files = [
    'README.md',
    'CONTRIBUTING.md',
    ...(await Array.fromAsync(glob('docs/**/*.md', { cwd: ROOT }))),
  ]
  return (await Promise.all(files.sort().map(fencesOf))).flat()
}

async function fencesOf(file: string): Promise<Fence[]> {
  const fences: Fence[] = []
  const counts = new Map<string, number>()
  const pattern = /^#+ (?<heading>.*)$|^(?<indent> *)```(?<language>\w*)\n(?<code>[\s\S]*?)^ *```$/gm
  let heading = ''
  for (const { groups = {} } of (await readFile(join(ROOT, file), 'utf8')).matchAll(pattern)) {
    heading = groups.heading ?? heading
    if (groups.code === undefined) continue
    const count = (counts.get(heading) ?? 0) + 1
    counts.set(heading, count)
    fences.push({
      key: `${file}#${heading}${count > 1 ? ` ${count}` : ''}`,
      language: groups.language ?? '',
      code: groups.code.replaceAll(new RegExp(`^${groups.indent}`, 'gm'), ''),
    })
  }
  return fences
}
