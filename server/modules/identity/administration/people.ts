import type { Static } from '#platform/http/type'
import type { Queryable } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import { isId } from '#platform/kernel/id'
import { pageAnswer, TOTAL_CAP, type Page } from '#platform/http/schema'
import { IDENTITY } from '../errors.ts'
import { profile } from '../schema.ts'
import type { Person, PeopleQuery } from './people-schema.ts'
import { countPeople, people, personById } from './people-sql.ts'

const IDS_MAX = 100

/** Accounts for an admin, newest first. */
export async function listPeople(
  q: Queryable,
  { ids, search, status, role, userType }: Static<typeof PeopleQuery>,
  page: Page,
) {
  const filter = {
    ids: ids === undefined ? undefined : idsOf(ids),
    search: search?.trim(),
    status,
    role,
    userType,
  }
  const rows = await q.rows(people(filter, page))
  const { counted } = await q.one(countPeople(filter, TOTAL_CAP + 1))
  return pageAnswer(rows.map(profile), counted, page)
}

function idsOf(text: string): string[] {
  const ids = text.split(',').map(id => id.trim())
  if (ids.length > IDS_MAX) throw invalid(`ids must name at most ${IDS_MAX} accounts`)
  // What is no id is an unknown account.
  return ids.filter(isId)
}

/** One account with how it signs in. 404 for an unknown one. */
export async function readPerson(q: Queryable, id: string): Promise<Static<typeof Person>> {
  const row = isId(id) ? await q.maybe(personById(id)) : undefined
  if (!row) throw apiError(IDENTITY.USER_NOT_FOUND)
  const { emailVerified, mfaEnabled, sessions, lastSeenAt, apiKeys } = row
  return {
    ...profile(row),
    emailVerified,
    mfaEnabled,
    sessions,
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
    apiKeys,
  }
}
