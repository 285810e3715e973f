import { sql } from '#platform/kernel/sql'

export interface KeyRow {
  number: number
  signsFrom: Date
}

/** The newest first. */
export const documentKeys = () => sql<KeyRow>`
  select number, signs_from from identity_document_key order by number desc`

/** Writes no row if another instance was quicker. */
export const insertDocumentKey = (key: KeyRow, now: Date) => sql`
  insert into identity_document_key (number, signs_from, created_at)
  values (${key.number}, ${key.signsFrom}, ${now}) on conflict (number) do nothing`

export const lockDocumentKeys = () => sql`lock table identity_document_key in share row exclusive mode`
