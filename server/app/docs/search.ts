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

/** Between the words of a text, as the library divides it. */
const BETWEEN = /[\n\r\p{Z}\p{P}]+/u
/** Each word of a query takes a search of its own. */
const MOST_WORDS = 12

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
      // Nearly every section has a word that begins with a given letter.
      prefix: term => term.length > 1,
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
    const words = [...new Set(text.toLowerCase().split(BETWEEN))].filter(Boolean).slice(0, MOST_WORDS)
    return this.#index
      .search(words.join(' '))
      .slice(0, MOST)
      .map(({ url, title, place }) => ({ url: String(url), title: String(title), place: String(place) }))
  }
}
