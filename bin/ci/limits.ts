import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parse } from '@swc/core'

const FILES_PER_FOLDER = 20
const EXPORTS_PER_INDEX = 20
const CASTS_PER_1000_LINES = 3

/** No folder has more than 20 source files; tests do not count. */
export async function checkFolders(): Promise<string[]> {
  const files = [
    ...(await sources('{server,bin,test,bench,packages}/**/*.ts')),
    ...(await sources('web/{app,api,parts,sections,texts}/**/*.{ts,tsx}')),
  ]
  const folders = Object.groupBy(files, file => dirname(file))
  return Object.entries(folders).flatMap(([folder, { length } = []]) =>
    length > FILES_PER_FOLDER
      ? [`${folder} has ${length} source files, at most ${FILES_PER_FOLDER}: group them`]
      : [],
  )
}

/** A module's public API exports at most 20 names explicitly. The same holds for each of its namespaces. */
export async function checkExports(): Promise<string[]> {
  const indexes = await sources('server/modules/*/index.ts')
  const namespaces = await Promise.all(
    indexes.map(async file => namespaceSources(await ast(file)).map(source => join(dirname(file), source))),
  )
  const files = [...indexes, ...namespaces.flat()]
  const counts = await Promise.all(files.map(async file => [file, countExports(await ast(file))] as const))
  return counts.flatMap(([file, count]) =>
    count > EXPORTS_PER_INDEX ? [`${file} exports ${count} names, at most ${EXPORTS_PER_INDEX}`] : [],
  )
}

/** Production code has at most 3 casts (`x as T`, not `as const`) per 1,000 lines. */
export async function checkCasts(): Promise<string[]> {
  const files = await sources('server/**/*.ts')
  const found = await Promise.all(files.map(async file => ({ file, casts: countCasts(await ast(file)) })))
  const lines = (
    await Promise.all(files.map(async file => (await readFile(file, 'utf8')).split('\n').length))
  ).reduce((sum, each) => sum + each, 0)
  const casts = found.reduce((sum, each) => sum + each.casts, 0)
  const most = Math.floor((lines / 1000) * CASTS_PER_1000_LINES)
  if (casts <= most) return []
  return [
    `${casts} casts in ${lines} lines of production code, at most ${most}`,
    ...found
      .filter(each => each.casts > 1)
      .sort((a, b) => b.casts - a.casts)
      .map(each => `  ${each.casts} ${each.file}`),
  ]
}

const sources = async (pattern: string): Promise<string[]> =>
  (await Array.fromAsync(glob(pattern))).filter(file => !file.endsWith('.test.ts')).sort()

const ast = async (file: string): Promise<object> =>
  parse(await readFile(file, 'utf8'), { syntax: 'typescript' })

/** All nodes of a syntax tree. */
function* nodes(tree: unknown): Generator<Record<string, unknown>> {
  if (typeof tree !== 'object' || tree === null) return
  if ('type' in tree) yield { ...tree }
  for (const value of Object.values(tree)) yield* nodes(value)
}

const countCasts = (tree: object): number =>
  [...nodes(tree)].filter(({ type }) => type === 'TsAsExpression' || type === 'TsTypeAssertion').length

/** The files that a file exports as namespaces (`export * as name from`). */
const namespaceSources = (tree: object): string[] =>
  [...nodes(tree)].flatMap(({ type, specifiers, source }) =>
    type === 'ExportNamedDeclaration' &&
    Array.isArray(specifiers) &&
    specifiers.some(each => each.type === 'ExportNamespaceSpecifier') &&
    typeof source === 'object' &&
    source !== null &&
    'value' in source
      ? [String(source.value)]
      : [],
  )

function countExports(tree: object): number {
  let count = 0
  for (const { type, specifiers } of nodes(tree)) {
    if (type === 'ExportAllDeclaration') count += EXPORTS_PER_INDEX + 1
    if (type === 'ExportNamedDeclaration' && Array.isArray(specifiers)) count += specifiers.length
    if (type === 'ExportDeclaration' || type === 'ExportDefaultExpression') count++
  }
  return count
}
