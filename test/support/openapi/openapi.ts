import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const DOCUMENT = join(import.meta.dirname, '../../../openapi/openapi.json')

/** A document with every `$ref` replaced by what it refers to. */
export function dereference<T>(document: object): T {
  const resolved = new Map<string, unknown>()
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...rest } = value as Record<string, unknown>
    const own = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, resolve(each)]))
    if (typeof $ref !== 'string') return own
    if (!resolved.has($ref)) resolved.set($ref, resolve(targetOf($ref)))
    return { ...(resolved.get($ref) as object), ...own }
  }
  const targetOf = (ref: string): unknown =>
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
  return resolve(document) as T
}

/** The committed document without references. */
export const readDocument = <T>(): T => dereference<T>(JSON.parse(readFileSync(DOCUMENT, 'utf8')) as object)

/** Every operation by `METHOD path`, also the pages and assets, which the public document leaves out. */
export async function everyOperation<Operation>(): Promise<Map<string, Operation>> {
  const { describeApi } = await import('../../../bin/openapi.ts')
  const { paths } = dereference<{ paths: Record<string, Record<string, Operation>> }>(
    await describeApi({ all: true }),
  )
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    ),
  )
}
