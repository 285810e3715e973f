import { part, type SqlPart } from '../sql.ts'

/**
 * The tsquery of what a person types: words, "phrases", -excluded and OR. A query of stop words alone has no stems and is
 * matched unstemmed. A subselect lets the server parse the query once and not for each row.
 */
export const searchQuery = (search: string): SqlPart => part`(select case
  when numnode(websearch_to_tsquery('english', ${search})) > 0 then websearch_to_tsquery('english', ${search})
  else websearch_to_tsquery('simple', ${search}) end)`
