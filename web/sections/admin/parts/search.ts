import { given, numberParam, oneOf, textParam } from '../../../parts/search-params.ts'

/** What a list keeps in the address: the page, and filters with their values; `null` takes any text. */
type Filters = Readonly<Record<string, readonly string[] | null>>
export type ListSearch<F extends Filters> = { offset?: number } & {
  [Name in keyof F]?: F[Name] extends readonly (infer Value)[] ? Value : string
}

/** For `validateSearch` of a list; values that the list does not know are dropped. */
export const listSearch =
  <const F extends Filters>(filters: F) =>
  (raw: Record<string, unknown>): ListSearch<F> => {
    const known = Object.entries(filters).map(([name, values]) => {
      const text = textParam(raw[name])
      return [name, values === null || text === undefined ? text : oneOf(values, text)]
    })
    // The values were compared with the filters just now.
    return given({ ...Object.fromEntries(known), offset: numberParam(raw.offset) }) as ListSearch<F>
  }
