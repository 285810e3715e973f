import { agentKeys } from '#agents'
import { workWatch } from '#ap2'
import { accountEvents } from '#identity'
import { Dialer } from '#platform/adapters/egress/dialer'
import { Loop } from '#platform/kernel/background/loop'
import { runIfDue } from '#platform/kernel/background/task'
import { after, DAY, HOUR } from '#platform/kernel/clock'
import { defineModule } from '#platform/kernel/module'
import { noticeSubscribers } from './events/notice.ts'
import { projectEvents } from './events/project.ts'
import { deleteEventsUntil } from './events/retention.ts'
import { accountHub } from './stream/account-hub.ts'
import { agentHub } from './stream/agent-hub.ts'
import { deadlineTimer, dealMailJobs, followDeals } from './mail/deal-mail.ts'
import { followNotices, noticeMailJobs } from './mail/notice-mail.ts'
import { unsubscribeRoutes } from './mail/routes.ts'
import { inboxRoutes } from './inbox/routes.ts'
import { preferenceRoutes } from './preferences/routes.ts'
import { streamRoutes } from './stream/routes.ts'
import { openWatch } from './stream/watch.ts'
import { deleteWebhookOfCreator, deleteWebhooksOfClaimedAccount } from './webhook/endpoint.ts'
import { webhookMetrics } from './webhook/metrics.ts'
import { webhookRoutes } from './webhook/routes.ts'
import { WebhookSender } from './webhook/sender.ts'
import { insertDeliveries } from './webhook/sql.ts'

const INTERVAL_MS = 500
const RETENTION = 90 * DAY

export default defineModule({
  name: 'notifications',
  create: services => {
    const { db, log, clock, config } = services
    const hubs = { agents: agentHub(services), accounts: accountHub(services) }
    const dialer = new Dialer({ allowPrivate: config.VERIFIER_ALLOW_PRIVATE })
    const sender = new WebhookSender(services, dialer)
    let isStopped = false
    const sweep = {
      name: 'notifications.sweep',
      everyMs: HOUR,
      run: () => deleteEventsUntil(db, after(clock.now(), -RETENTION), () => isStopped),
    }
    const loops = [
      new Loop('events', INTERVAL_MS, log, async () => {
        await projectEvents(db, async (tx, events, { deals, notices }) => {
          await followDeals(tx, services, deals)
          await followNotices(tx, services, notices)
          await tx.run(
            insertDeliveries(
              events.map(({ id }) => id),
              tx.now,
            ),
          )
        })
        await hubs.agents.round()
        await hubs.accounts.round()
      }),
      new Loop('webhooks', INTERVAL_MS, log, () => sender.round()),
      new Loop('deletion of old events', HOUR, log, async () => {
        await runIfDue(db, log, sweep)
      }),
    ]
    return {
      routes(app) {
        streamRoutes(app, services, hubs)
        webhookRoutes(app, services, dialer)
        preferenceRoutes(app)
        inboxRoutes(app)
        unsubscribeRoutes(app, services)
      },
      timers: [deadlineTimer],
      metrics: webhookMetrics,
      jobs: [...dealMailJobs(services), ...noticeMailJobs(services)],
      subscribes: [
        ...noticeSubscribers(),
        agentKeys.creatorDetached.with(deleteWebhookOfCreator),
        accountEvents.accountClaimed.with(deleteWebhooksOfClaimedAccount),
      ],
      provides: [workWatch.with((_, asked) => openWatch(hubs.agents, asked))],
      async start() {
        for (const loop of loops) loop.start()
      },
      async stop() {
        isStopped = true
        hubs.agents.close()
        hubs.accounts.close()
        await Promise.all([...loops.map(loop => loop.stop()), sender.stop()])
      },
    }
  },
})
