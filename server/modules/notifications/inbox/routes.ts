import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { Moment, named, pageAnswer, pageFields, pageOf, PageQuery } from '#platform/http/schema'
import type { RequestContext } from '#platform/http/principal'
import type { Queryable } from '#platform/kernel/db'
import { KINDS, kindOf, typesOfKinds } from '../events/kinds.ts'
import { lastPartyEventId } from '../events/party-sql.ts'
import { EventTypeName, partyEventView } from '../events/view.ts'
import { readPreferences } from '../preferences/choices.ts'
import { partiesOf } from '../stream/account-hub.ts'
import { inboxCounts, inboxPage, setReadUpTo, type InboxFilter } from './sql.ts'

const Notification = named(
  'Notification',
  Type.Object({
    id: Type.String({ maxLength: 200, description: 'As in the stream of your events' }),
    type: EventTypeName,
    kind: Type.Enum([...KINDS], { description: 'Kind whose channels you choose' }),
    timestamp: { ...Moment, description: 'When it happened' },
    isRead: Type.Boolean({ description: 'Whether it was marked as read' }),
    data: Type.Object({}, { additionalProperties: true, description: 'Ids, states and amounts' }),
  }),
)
const Unread = Type.Integer({ minimum: 0, description: 'Notifications that are not read, exact to 10,000' })
const Inbox = named(
  'Inbox',
  Type.Object({
    items: Type.Array(Notification, { maxItems: 100, description: 'This page, newest first' }),
    unread: Unread,
    ...pageFields,
  }),
)

async function filterOf(q: Queryable, ctx: RequestContext): Promise<InboxFilter> {
  const { accountId } = ctx.principal
  const preferences = await readPreferences(q, accountId)
  const muted = typesOfKinds(KINDS.filter(kind => !preferences[kind].inApp))
  return { accountId, partyIds: await partiesOf(q, ctx), muted }
}

const common = { tag: 'Account', access: { accept: ['jwt'] } } as const

/** The events of an account as a list, for people. */
export function inboxRoutes(app: App): void {
  query(app, {
    ...common,
    method: 'GET',
    url: '/users/me/inbox',
    id: 'listNotifications',
    summary: 'List your notifications',
    description:
      'The events of your account and of the organizations in which you are OWNER or ADMIN, newest first, 90 days back, without the kinds that you do not want in the inbox.',
    query: Type.Object(PageQuery),
    success: [200, Inbox],
    snapshot: true,
    run: async (q, ctx, { query }) => {
      const filter = await filterOf(q, ctx)
      const [rows, { counted, unread }] = await Promise.all([
        q.rows(inboxPage(filter, pageOf(query))),
        q.one(inboxCounts(filter)),
      ])
      const items = rows.map(row => ({
        ...partyEventView(row),
        id: String(row.id),
        kind: kindOf(row.type),
        isRead: row.isRead,
      }))
      return { ...pageAnswer(items, counted, pageOf(query)), unread }
    },
  })
  command(app, {
    ...common,
    method: 'POST',
    url: '/users/me/inbox/read',
    id: 'markNotificationsRead',
    summary: 'Mark your notifications as read',
    description: 'Marks the notification with the id and all older ones; without an id, all.',
    body: Type.Object({
      id: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,18}$', description: 'Id of the newest that was read' }),
      ),
    }),
    example: { id: '4711' },
    success: [200, Type.Object({ unread: Unread })],
    run: async (tx, ctx, { body }) => {
      const newest = (await tx.one(lastPartyEventId())).id
      const wanted = body.id === undefined ? newest : BigInt(body.id)
      await tx.run(setReadUpTo(ctx.principal.accountId, wanted < newest ? wanted : newest, tx.clock.real()))
      return { unread: (await tx.one(inboxCounts(await filterOf(tx, ctx)))).unread }
    },
  })
}
