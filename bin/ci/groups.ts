import { stat } from 'node:fs/promises'

/** Test files that run one after another in one process and have one shared service. */
export interface Group {
  name: string
  files: string[]
}

/** A group and the PostgreSQL server that it runs on. */
export interface GroupRun {
  title: string
  url: string
  files: string[]
}

/** A group takes about 20 s at most, so that all processes end at about the same time. */
const MAX_BYTES = 60_000

/**
 * The files by module, such as `server/modules/wallets` or `test/races`, in chunks of similar size. The largest group
 * comes first: the last ones to run are short.
 */
export async function groupFiles(files: readonly string[], maxBytes = MAX_BYTES): Promise<Group[]> {
  const sizes = new Map(await Promise.all(files.map(async file => [file, (await stat(file)).size] as const)))
  const sizeOf = (names: readonly string[]) => names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)
  const modules = Map.groupBy(files.toSorted(), moduleOf)
  const groups = [...modules].flatMap(([name, names]) => {
    const chunks = chunk(names, Math.ceil(sizeOf(names) / maxBytes), sizeOf)
    return chunks.map((chunk, at) => ({
      name: chunks.length > 1 ? `${name} (${at + 1} of ${chunks.length})` : name,
      files: chunk,
    }))
  })
  return groups.sort((a, b) => rankOf(a) - rankOf(b) || sizeOf(b.files) - sizeOf(a.files))
}

/** Those that wait for processes and browsers come first, so that none of them is the last to end. */
const FIRST = ['test/faults', 'test/']
const rankOf = ({ name }: Group): number => [...FIRST, ''].findIndex(beginning => name.startsWith(beginning))

/** The folder that stands for a module: three levels below `server`, two elsewhere. */
const moduleOf = (file: string): string =>
  file
    .split('/')
    .slice(0, -1)
    .slice(0, file.startsWith('server/') ? 3 : 2)
    .join('/')

/** Splits names in their order into `count` parts of similar size. */
function chunk(names: string[], count: number, sizeOf: (names: string[]) => number): string[][] {
  const share = sizeOf(names) / count
  const chunks = Map.groupBy(names, (_, at) =>
    Math.min(count - 1, Math.floor(sizeOf(names.slice(0, at)) / share)),
  )
  return [...chunks.values()]
}
