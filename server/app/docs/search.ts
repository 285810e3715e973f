import MiniSearch from 'minisearch'

/** A section of a page, or an operation of the reference. */
export interface Entry {
  url: string
  /** Of the section. */
  title: string
  /** Of the page, or method and path of an operation. */
  place: string
  body: string
}

export interface Hit {
  url: string
  title: string
  place: string
}

const MOST = 20

/** What changed and why: nearly every word occurs in it, and who searches wants to know what is so now. */
const HISTORY = /^\/docs\/(?:changelog|adr)\b/
const HISTORY_BOOST = 0.1

/** The search of the documentation. */
export class SearchIndex {
  readonly #index = new MiniSearch<Entry & { id: number }>({
    fields: ['title', 'place', 'body'],
    storeFields: ['url', 'title', 'place'],
    searchOptions: {
      boost: { title: 4, place: 2 },
      boostDocument: (_id, _term, stored) => (HISTORY.test(String(stored?.url)) ? HISTORY_BOOST : 1),
      prefix: true,
      fuzzy: 0.1,
      combineWith: 'AND',
    },
  })

  /** In portions, so that requests are served in between. */
  static async of(entries: readonly Entry[]): Promise<SearchIndex> {
    const search = new SearchIndex()
    await search.#index.addAllAsync(
      entries.map((entry, id) => ({ ...entry, id })),
      { chunkSize: 50 },
    )
    return search
  }

  find(text: string): Hit[] {
    return this.#index
      .search(text)
      .slice(0, MOST)
      .map(({ url, title, place }) => ({ url: String(url), title: String(title), place: String(place) }))
  }
}
