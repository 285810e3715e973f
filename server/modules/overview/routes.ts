import { query, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { backgroundWork } from './background.ts'
import { readOverview } from './overview.ts'
import { BackgroundWork, Overview, OverviewQuery, SettingList } from './schema.ts'
import { settingsView } from './settings.ts'

export function overviewRoutes(app: App, services: Services): void {
  const read = { method: 'GET', tag: 'Admin', access: { accept: ['jwt'], role: 'ADMIN' } } as const
  query(app, {
    ...read,
    url: '/admin/overview',
    id: 'getAdminOverview',
    summary: 'Get the figures of the last days and the open work',
    description:
      'Deals, volume, fees and sign-ups by day (UTC), and how many items of each kind wait for an operator.',
    query: OverviewQuery,
    snapshot: true,
    success: [200, Overview],
    run: (q, _, { query: { days = 30 } }) => readOverview(q, { days, now: services.clock.now() }),
  })
  query(app, {
    ...read,
    url: '/admin/settings',
    id: 'listSettings',
    summary: 'List the settings in force',
    description:
      'Of secrets only whether they have a value. Settings change with the environment and a restart.',
    success: [200, SettingList],
    run: async () => settingsView(services.config),
  })
  query(app, {
    ...read,
    url: '/admin/background',
    id: 'getBackgroundWork',
    summary: 'Get the state of timers, jobs and repeated tasks',
    description:
      'A timer is late if its earliest deadline passed more than a minute ago. Failed jobs were given up after all tries.',
    success: [200, BackgroundWork],
    run: () => backgroundWork(services),
  })
}
