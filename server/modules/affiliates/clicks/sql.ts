import { sql } from '#platform/kernel/sql'

export interface Click {
  id: string
  code: string
  destination: string
  utmSource: string | null
  utmMedium: string | null
  utmCampaign: string | null
  visitor: Buffer
  bot: boolean
  at: Date
}

const column = <K extends keyof Click>(clicks: readonly Click[], name: K): Click[K][] =>
  clicks.map(click => click[name])

/** Stores the clicks whose code belongs to an ACTIVE affiliate, in one statement; returns their ids. */
export const insertClicks = (clicks: readonly Click[], repeatedSince: Date) => sql<{ id: string }>`
  insert into affiliates_click (id, profile_id, destination, utm_source, utm_medium, utm_campaign, visitor, bot, repeated, at)
  select c.id, p.id, c.destination, c.utm_source, c.utm_medium, c.utm_campaign, c.visitor, c.bot,
    row_number() over (partition by p.id, c.visitor order by c.id) > 1 or exists (
      select from affiliates_click e where e.profile_id = p.id and e.visitor = c.visitor and e.at > ${repeatedSince}),
    c.at
  from unnest(${column(clicks, 'id')}::uuid[], ${column(clicks, 'code')}::text[], ${column(clicks, 'destination')}::text[],
    ${column(clicks, 'utmSource')}::text[], ${column(clicks, 'utmMedium')}::text[], ${column(clicks, 'utmCampaign')}::text[],
    ${column(clicks, 'visitor')}::bytea[], ${column(clicks, 'bot')}::boolean[], ${column(clicks, 'at')}::timestamptz[])
    as c (id, code, destination, utm_source, utm_medium, utm_campaign, visitor, bot, at)
  join affiliates_profile p on lower(p.code) = lower(c.code) and p.status = 'ACTIVE'
  returning id`

interface Day {
  day: string
  clicks: number
  signups: number
}

/** Clicks of people and sign-ups of the last days, each day in UTC. */
export const dailySeries = (profileId: string, since: Date, until: Date) => sql<Day>`
  select to_char(d.day, 'YYYY-MM-DD') as day,
    (select count(*)::int from affiliates_click c where c.profile_id = ${profileId} and not c.bot and not c.repeated
      and c.at >= d.day and c.at < d.day + interval '1 day') as clicks,
    (select count(*)::int from affiliates_referral r where r.profile_id = ${profileId}
      and r.bound_at >= d.day and r.bound_at < d.day + interval '1 day') as signups
  from generate_series(date_trunc('day', ${since}::timestamptz), ${until}::timestamptz, interval '1 day') as d (day) order by 1`

export const totals = (profileId: string) => sql<{
  clicks: number
  bots: number
  repeats: number
  signups: number
}>`
  select count(*) filter (where not bot and not repeated)::int as clicks, count(*) filter (where bot)::int as bots,
    count(*) filter (where not bot and repeated)::int as repeats,
    (select count(*)::int from affiliates_referral r where r.profile_id = ${profileId}) as signups
  from affiliates_click where profile_id = ${profileId}`
