// What `validateSearch` makes of the address: the router has read `?offset=25` as a number and `?search=7` too.

export const textParam = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined

export const numberParam = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

export const flagParam = (value: unknown): true | undefined => (value === true ? true : undefined)

/** One of the names that a page knows. */
export const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name | undefined =>
  names.find(name => name === value)

/** Without what is not given, so that addresses stay short. */
export const given = <Search extends object>(search: Search): Search =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Search
