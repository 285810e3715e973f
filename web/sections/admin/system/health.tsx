import { Card, Group, SimpleGrid, Text } from '@mantine/core'
import { $api } from '../../../api/client.ts'
import { asProblem } from '../../../api/problem.ts'
import type { BackgroundWork } from '../../../api/schema.d.ts'
import { dateTime, number } from '../../../parts/format.ts'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { When } from '../../../parts/when.tsx'
import { counted, t } from '../../../texts/text.ts'
import { Panel } from '../../../parts/panel.tsx'

const EVERY_MS = 15_000

/** Whether the service works, and what it does by itself. */
export function Health() {
  const { data, error, refetch, isPending } = $api.useQuery(
    'get',
    '/admin/background',
    {},
    { refetchInterval: EVERY_MS },
  )
  return (
    <Page title={t('admin.health.title')} description={t('admin.health.text')}>
      <HealthCards />
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data && (
        <>
          <Tasks work={data} />
          <Jobs work={data} />
          <Timers work={data} />
        </>
      )}
    </Page>
  )
}

/** The probes of the process and of the database, and the two clocks. */
export function HealthCards() {
  const process = $api.useQuery('get', '/healthz', {}, { refetchInterval: EVERY_MS })
  const ready = $api.useQuery('get', '/readyz', {}, { refetchInterval: EVERY_MS })
  const gateway = $api.useQuery('get', '/v1/routing/health', {}, { refetchInterval: EVERY_MS })
  const cards = [
    { name: t('admin.health.process'), read: process, detail: process.data?.reason },
    {
      name: t('admin.health.database'),
      read: ready,
      detail: ready.data && `${number(ready.data.latencyMs)} ms`,
    },
    {
      name: t('admin.health.gateway'),
      read: gateway,
      detail:
        gateway.data &&
        t('admin.models.available', {
          available: number(gateway.data.models.available),
          total: number(gateway.data.models.total),
        }),
    },
  ]
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {cards.map(({ name, read, detail }) => (
        <Card key={name} withBorder padding="sm">
          <Group justify="space-between">
            <Text size="sm" fw={600}>
              {name}
            </Text>
            {!read.isPending && (
              <Status value={read.error ? 'FAILED' : (read.data?.status.toUpperCase() ?? '')} />
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {read.error ? asProblem(read.error).message : detail}
          </Text>
        </Card>
      ))}
    </SimpleGrid>
  )
}

function Tasks({ work: { tasks, now, businessTime } }: { work: BackgroundWork }) {
  return (
    <Panel title={t('admin.tasks')}>
      <Text size="sm" c="dimmed">
        {t('admin.clocks', { now: dateTime(now), business: dateTime(businessTime) })}
      </Text>
      {tasks.length === 0 && <Text size="sm">{t('admin.tasks.none')}</Text>}
      {tasks.length > 0 && (
        <DataTable
          caption={t('admin.tasks')}
          rows={tasks}
          idOf={({ name }) => name}
          columns={[
            { title: t('admin.name'), render: ({ name }) => name },
            { title: t('admin.found'), render: ({ figures }) => <Found figures={figures} /> },
            {
              title: t('admin.finished'),
              render: ({ finishedAt, isRunning }) =>
                isRunning ? t('admin.running') : finishedAt ? <When at={finishedAt} /> : '–',
            },
            { title: t('admin.next'), render: ({ dueAt }) => <When at={dueAt} /> },
          ]}
        />
      )}
    </Panel>
  )
}

/** What a check found: its own verdict and how many findings. */
function Found({ figures }: { figures: BackgroundWork['tasks'][number]['figures'] }) {
  const verdict = Object.entries(figures).find(([name]) => name.endsWith('_ok'))
  const findings = Object.entries(figures).find(([name]) => name.endsWith('_findings'))
  if (!verdict) return '–'
  return (
    <Group gap="xs">
      <Status value={verdict[1] === 1 ? 'OK' : 'FAILED'} />
      {findings && <Text size="sm">{counted('admin.findings', findings[1])}</Text>}
    </Group>
  )
}

function Jobs({ work: { jobs } }: { work: BackgroundWork }) {
  return (
    <Panel title={t('admin.jobs')}>
      <DataTable
        caption={t('admin.jobs')}
        rows={jobs}
        idOf={({ name }) => name}
        columns={[
          { title: t('admin.name'), render: ({ name }) => name },
          { title: t('admin.waiting'), align: 'right', render: ({ waiting }) => number(waiting) },
          { title: t('admin.running'), align: 'right', render: ({ active }) => number(active) },
          {
            title: t('admin.failed'),
            align: 'right',
            render: ({ failed }) => (
              <Text span inherit fw={failed > 0 ? 700 : undefined}>
                {number(failed)}
              </Text>
            ),
          },
        ]}
      />
    </Panel>
  )
}

function Timers({ work: { timers } }: { work: BackgroundWork }) {
  return (
    <Panel title={t('admin.timers')}>
      <DataTable
        caption={t('admin.timers')}
        rows={timers}
        idOf={({ name }) => name}
        columns={[
          { title: t('admin.name'), render: ({ name }) => name },
          {
            title: t('admin.next'),
            render: ({ nextDueAt }) => (nextDueAt ? <When at={nextDueAt} /> : t('admin.nothingDue')),
          },
          { title: t('admin.state'), render: ({ isLate }) => <Status value={isLate ? 'LATE' : 'ON_TIME'} /> },
        ]}
      />
    </Panel>
  )
}
