/** What a list keeps in the address: the page, and filters with their values; `null` takes any text. */
type Filters = Readonly<Record<string, readonly string[] | null>>
export type ListSearch<F extends Filters> = { offset?: number } & {
  [Name in keyof F]?: F[Name] extends readonly (infer Value)[] ? Value : string
}

/** For `validateSearch` of a list; values that the list does not know are dropped. */
export const listSearch =
  <const F extends Filters>(filters: F) =>
  (raw: Record<string, unknown>): ListSearch<F> => {
    const known = Object.entries(filters).flatMap(([name, values]) => {
      const value = raw[name]
      return typeof value === 'string' && value && (values === null || values.includes(value))
        ? [[name, value]]
        : []
    })
    const { offset } = raw
    // The entries were compared with the filters just now.
    return {
      ...Object.fromEntries(known),
      ...(typeof offset === 'number' && offset > 0 ? { offset } : {}),
    } as ListSearch<F>
  }
