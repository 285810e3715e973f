import { part, sql } from '#platform/kernel/sql'

export interface RatingRow {
  id: string
  agentId: string
  rating: number
  comment: string | null
  reply: string | null
  repliedAt: Date | null
  test: boolean
  createdAt: Date
}

const RATING = part`id, agent_id, rating, comment, reply, replied_at, test, created_at`

export type NewRating = Omit<RatingRow, 'reply' | 'repliedAt'> & {
  negotiationId: string
  authorId: string
  authorSuspended: boolean
}

export const insertRating = (row: NewRating) => sql<RatingRow>`
  insert into ratings_rating (id, agent_id, negotiation_id, author_id, author_suspended, rating, comment, test,
    created_at)
  values (${row.id}, ${row.agentId}, ${row.negotiationId}, ${row.authorId}, ${row.authorSuspended}, ${row.rating},
    ${row.comment}, ${row.test}, ${row.createdAt})
  returning ${RATING}`

/** Whose ratings are listed: those of its owner, its creator and suspended accounts, and of deals that were charged back, do not count. */
export interface Rated {
  id: string
  ownerId: string
  creatorId: string
}

/** Ratings of deals that were paid with test credit count where `withTest` says so. */
const counted = ({ id, ownerId, creatorId }: Rated, withTest: boolean) =>
  part`agent_id = ${id} and not author_suspended and not charged_back and (not test or ${withTest}) and author_id not in (${ownerId}, ${creatorId})`

export const ratingsOf = (
  agent: Rated,
  withTest: boolean,
  page: { limit: number; offset: number },
) => sql<RatingRow>`
  select ${RATING} from ratings_rating where ${counted(agent, withTest)}
  order by id desc limit ${page.limit} offset ${page.offset}`

export interface Summary {
  count: number
  /** Null without a rating. */
  mean: number | null
  /** How many gave 1, 2, 3, 4 and 5. */
  stars: number[]
}

export const summaryOf = (agent: Rated, withTest: boolean) => sql<Summary>`
  select count(*)::int as count, round(avg(rating), 2)::float8 as mean,
    array[count(*) filter (where rating = 1), count(*) filter (where rating = 2), count(*) filter (where rating = 3),
      count(*) filter (where rating = 4), count(*) filter (where rating = 5)]::int[] as stars
  from ratings_rating where ${counted(agent, withTest)}`

/** The agents that an account has rated. */
export const ratedBy = (authorId: string) =>
  sql<{ agentId: string }>`select distinct agent_id from ratings_rating where author_id = ${authorId}`

export const setAuthorSuspended = (authorId: string, isSuspended: boolean) => sql`
  update ratings_rating set author_suspended = ${isSuspended} where author_id = ${authorId}`

/** A row if the deal is rated. */
export const setChargedBack = (negotiationId: string) => sql<{ agentId: string }>`
  update ratings_rating set charged_back = true where negotiation_id = ${negotiationId} returning agent_id`

export interface Mean {
  agentId: string
  mean: number | null
}
/** The means of several agents, counted as in `summaryOf`. */
export const meansOf = (agentIds: readonly string[], withTest: boolean) => sql<Mean>`
  select a.id as agent_id, (
    select round(avg(r.rating), 2)::float8 from ratings_rating r
    where r.agent_id = a.id and not r.author_suspended and not r.charged_back and (not r.test or ${withTest})
      and r.author_id not in (a.owner_id, a.creator_id)) as mean
  from agents_agent a where a.id = any(${agentIds}::uuid[])`

export const lockRating = (id: string, agentId: string) => sql<RatingRow>`
  select ${RATING} from ratings_rating where id = ${id} and agent_id = ${agentId} for update`

export const setReply = (id: string, reply: { text: string; byId: string; at: Date }) => sql<RatingRow>`
  update ratings_rating set reply = ${reply.text}, replied_by_id = ${reply.byId}, replied_at = ${reply.at}
  where id = ${id} returning ${RATING}`

export const eraseCommentsOf = (accountId: string) => sql`
  update ratings_rating set comment = null where author_id = ${accountId} and comment is not null`
export const eraseRepliesOf = (accountId: string) => sql`
  update ratings_rating set reply = null where replied_by_id = ${accountId} and reply is not null`
