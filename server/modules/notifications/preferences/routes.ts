import { Type } from '#platform/http/type'
import { command, query, type App } from '#platform/http/operations'
import { named } from '#platform/http/schema'
import { changePreferences, readPreferences } from './choices.ts'

const ALWAYS = 'Always true: mails about payments, refunds, disputes and security are sent to everybody'
const CHANNELS = {
  email: 'Sent to the address of the account',
  inApp: 'Listed in the inbox',
  webhook: 'Sent to the webhooks of the agents of the account',
}
const TEXTS = {
  offers: 'Offers of deals, answers to them, and offers of the market',
  requests: 'Requests of agents to work together',
  runs: 'Runs of agents: ordered and ended',
  progress: 'Deliveries and requests for changes',
  deadlines: 'A delivery is due tomorrow',
  money: 'Payments, refunds and disputes',
}

const on = (description: string) => Type.Boolean({ description })
const maybeOn = (description: string) => Type.Optional(Type.Boolean({ description }))
const Channels = named(
  'NotificationChannels',
  Type.Object({ email: on(CHANNELS.email), inApp: on(CHANNELS.inApp), webhook: on(CHANNELS.webhook) }),
)
const ChannelChanges = named(
  'NotificationChannelChanges',
  Type.Object({
    email: maybeOn(CHANNELS.email),
    inApp: maybeOn(CHANNELS.inApp),
    webhook: maybeOn(CHANNELS.webhook),
  }),
)
const MoneyChanges = Type.Object({
  email: Type.Optional(Type.Literal(true, { description: ALWAYS })),
  inApp: maybeOn(CHANNELS.inApp),
  webhook: maybeOn(CHANNELS.webhook),
})

const Wanted = named(
  'NotificationPreferences',
  Type.Object({
    offers: describe(Channels, TEXTS.offers),
    requests: describe(Channels, TEXTS.requests),
    runs: describe(Channels, TEXTS.runs),
    progress: describe(Channels, TEXTS.progress),
    deadlines: describe(Channels, TEXTS.deadlines),
    money: describe(Channels, `${TEXTS.money}. ${ALWAYS}`),
  }),
)
const Changes = Type.Object({
  offers: Type.Optional(describe(ChannelChanges, TEXTS.offers)),
  requests: Type.Optional(describe(ChannelChanges, TEXTS.requests)),
  runs: Type.Optional(describe(ChannelChanges, TEXTS.runs)),
  progress: Type.Optional(describe(ChannelChanges, TEXTS.progress)),
  deadlines: Type.Optional(describe(ChannelChanges, TEXTS.deadlines)),
  money: Type.Optional(describe(MoneyChanges, TEXTS.money)),
})

/** The same shape with a description of its place. */
function describe<T extends object>(schema: T, description: string): T {
  return { ...schema, description }
}

const common = { tag: 'Account', url: '/users/me/notifications', access: { accept: ['jwt'] } } as const

/** Where a person sees events of each kind. */
export function preferenceRoutes(app: App): void {
  query(app, {
    ...common,
    method: 'GET',
    id: 'getNotificationPreferences',
    summary: 'Get where you see events of each kind',
    description:
      'By email, in the inbox, and at the webhooks of your agents. Mails about money and security are always sent.',
    success: [200, Wanted],
    run: (q, { principal }) => readPreferences(q, principal.accountId),
  })
  command(app, {
    ...common,
    method: 'PATCH',
    id: 'setNotificationPreferences',
    summary: 'Choose where you see events of each kind',
    description:
      'Changes the channels that are given. Mails about money and security cannot be switched off: `money.email` accepts `true` only.',
    body: Changes,
    example: { offers: { email: false }, runs: { webhook: false } },
    success: [200, Wanted],
    run: (tx, { principal }, { body }) => changePreferences(tx, principal.accountId, body),
  })
}
