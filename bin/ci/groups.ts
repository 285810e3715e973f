import { stat } from 'node:fs/promises'
import { SECONDS } from './seconds.ts'

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

/** Each group costs 5 s of processor time before its code is loaded, compiled and warm: few are large enough to end together. */
const MAX_SECONDS = 110

/**
 * The files by module, such as `server/modules/wallets` or `test/races`: large modules in chunks of similar weight, small
 * ones together, those of `test` apart. The heaviest group comes first: the last ones to run are short.
 */
export async function groupFiles(files: readonly string[], maxWeight = MAX_SECONDS): Promise<Group[]> {
  const weights = new Map(
    await Promise.all(files.map(async file => [file, await secondsOfFile(file)] as const)),
  )
  const weightOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + (weights.get(name) ?? 0), 0)
  const modules = [...Map.groupBy(files.toSorted(), moduleOf)].map(([name, files]) => ({ name, files }))
  const isSmall = ({ files }: Group) => weightOf(files) < maxWeight / 2
  const large = modules
    .filter(module => !isSmall(module))
    .flatMap(({ name, files }) => {
      const chunks = chunk(files, Math.ceil(weightOf(files) / maxWeight), weightOf)
      return chunks.map((files, at) => ({
        name: chunks.length > 1 ? `${name} (${at + 1} of ${chunks.length})` : name,
        files,
      }))
    })
  const small = [...Map.groupBy(modules.filter(isSmall), rankOf).values()].flatMap(modules =>
    combine(modules, maxWeight, weightOf),
  )
  return [...large, ...small].sort((a, b) => rankOf(a) - rankOf(b) || weightOf(b.files) - weightOf(a.files))
}

/** Estimated seconds of processor time: as measured, or by the bytes. Tests that drive the whole service take longer. */
const secondsOfFile = async (file: string): Promise<number> =>
  SECONDS[file] ?? ((await stat(file)).size / 1000) * (file.startsWith('test/') ? 0.8 : 0.28)

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

type WeightOf = (names: readonly string[]) => number

/** Splits names into `count` parts of similar weight: each, the heaviest first, goes to the part that is the lightest so far. */
function chunk(names: readonly string[], count: number, weightOf: WeightOf): string[][] {
  const parts = Array.from({ length: count }, (): string[] => [])
  for (const name of names.toSorted((a, b) => weightOf([b]) - weightOf([a])))
    parts.reduce((least, part) => (weightOf(part) < weightOf(least) ? part : least)).push(name)
  return parts.filter(part => part.length).map(part => part.toSorted())
}

/** Joins groups in their order, up to `maxWeight`. */
function combine(groups: readonly Group[], maxWeight: number, weightOf: WeightOf): Group[] {
  const combined: Group[] = []
  for (const { name, files } of groups) {
    const last = combined.at(-1)
    if (last && weightOf([...last.files, ...files]) <= maxWeight) {
      last.name += `, ${name.split('/').at(-1)}`
      last.files.push(...files)
    } else combined.push({ name, files: [...files] })
  }
  return combined
}
