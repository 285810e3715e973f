import { part, type SqlPart } from '../sql.ts'

/** Scripts that are written without spaces, and Korean; as in `platform_search_words`. */
const UNSPACED =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7a3\\u{20000}-\\u{3ffff}'
const RUN = new RegExp(`(^-|\\s-)?([${UNSPACED}]{2,})`, 'gu')
const BEGINNING = new RegExp(`^(.*\\s)?((?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}]){3,})$`, 'su')

/**
 * The tsquery of what a person types: words, "phrases", -excluded and OR. A query of stop words alone has no stems and is
 * matched unstemmed. A subselect lets the server parse the query once and not for each row.
 */
export function searchQuery(search: string): SqlPart {
  const words = part`platform_search_words(${withPhrases(search)})`
  return part`(select case
  when numnode(websearch_to_tsquery('english', ${words})) > 0 then websearch_to_tsquery('english', ${words})
  else websearch_to_tsquery('simple', ${words}) end)`
}

/** The same where the last word is the beginning of a word, for a search without a match; null where it cannot be one. */
export function searchBeginning(search: string): SqlPart | null {
  const [, before = '', last] = BEGINNING.exec(search.trim()) ?? []
  if (last === undefined || before.split('"').length % 2 === 0) return null
  return part`(select websearch_to_tsquery('english', platform_search_words(${withPhrases(before)}))
  && (quote_literal(nullif(lower(platform_search_words(${last})), '')) || ':*')::tsquery)`
}

/** Characters of the unspaced scripts are words of their own in the index: those that stand together are a phrase. */
const withPhrases = (search: string): string =>
  search
    .split('"')
    .map((piece, index) =>
      index % 2 ? piece : piece.replaceAll(RUN, (_, minus = ' ', run) => `${minus}"${run}" `),
    )
    .join('"')
