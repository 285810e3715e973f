import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconArrowsDiff } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import { asProblem, fieldError } from '../../../api/problem.ts'
import type { ReconciliationDifference, ReconciliationReport } from '../../../api/schema.d.ts'
import { Empty } from '../../../parts/empty.tsx'
import { dateTime, number } from '../../../parts/format.ts'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { isPastEnd, PAGE_SIZE, Pager } from '../../../parts/list/pager.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { counted, nameOf, t } from '../../../texts/text.ts'

const route = getRouteApi('/public/private/app/admin/reconciliation')

/** The ledger compared with the lists of the processor, the bank and the chain. */
export function Reconciliation() {
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/reconciliation' })
  const { data, error, refetch, isPending } = $api.useQuery('get', '/admin/reconciliation', {
    params: { query: { offset, limit: PAGE_SIZE } },
  })
  return (
    <Page title={t('admin.reconciliation.title')} description={t('admin.reconciliation.text')}>
      <Start />
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data?.items.length === 0 && !isPastEnd(data, offset) && (
        <Empty
          icon={IconArrowsDiff}
          title={t('admin.reconciliation.empty')}
          text={t('admin.reconciliation.empty.text')}
        />
      )}
      {data?.items.map(report => (
        <Report key={report.id} report={report} />
      ))}
      {data && (
        <Pager
          total={data.total}
          isCapped={data.totalIsCapped}
          offset={offset}
          onOffset={(next, replace) => void navigate({ search: { offset: next }, replace })}
        />
      )}
    </Page>
  )
}

/** What is wrong with the period, in words of its fields; the API names its own. */
function periodProblem(error: unknown): string | undefined {
  if (!error) return undefined
  const problem = asProblem(error)
  if (fieldError(problem, 'from')) return t('admin.reconciliation.order')
  return fieldError(problem, 'the period') && t('admin.reconciliation.longest')
}

/** Compares a period; without one, the last day. */
function Start() {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const start = $api.useMutation('post', '/admin/reconciliation')
  const period = {
    ...(from ? { from: new Date(from).toISOString() } : {}),
    ...(to ? { to: new Date(to).toISOString() } : {}),
  }
  const wrong = periodProblem(start.error)
  return (
    <Stack gap="xs">
      <Group align="flex-start">
        <TextInput
          type="datetime-local"
          label={t('admin.fromTime')}
          error={wrong}
          value={from}
          onChange={event => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          label={t('admin.toTime')}
          value={to}
          onChange={event => setTo(event.currentTarget.value)}
        />
        <Button
          mt={28}
          loading={start.isPending}
          onClick={() => start.mutate({ body: period }, { onSuccess: () => void refreshReads('/admin/') })}
        >
          {t('admin.reconciliation.start')}
        </Button>
      </Group>
      {!wrong && <ProblemNotice error={start.error} />}
    </Stack>
  )
}

function Report({ report }: { report: ReconciliationReport }) {
  const { from, to, trigger, compared, open, differences, differencesTotal } = report
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h5">
            {`${dateTime(from)} – ${dateTime(to)}`}
          </Title>
          <Status value={open > 0 ? 'OPEN_DIFFERENCES' : 'MATCHES'} />
        </Group>
        <Text size="sm" c="dimmed">
          {nameOf(trigger)} · {counted('admin.differences', differencesTotal)} ·{' '}
          {Object.entries(compared)
            .map(([rail, count]) => `${nameOf(rail.toUpperCase())}: ${number(count)}`)
            .join(', ')}
        </Text>
        {differences.length > 0 && <Differences rows={differences} />}
        {differences.length < differencesTotal && (
          <Text size="sm" c="dimmed">
            {t('admin.reconciliation.more', {
              shown: number(differences.length),
              path: `GET /admin/reconciliation/${report.id}`,
            })}
          </Text>
        )}
      </Stack>
    </Card>
  )
}

function Differences({ rows }: { rows: readonly ReconciliationDifference[] }) {
  return (
    <DataTable
      caption={t('admin.differences')}
      rows={rows}
      idOf={row => [row.rail, row.kind, row.externalId, row.ourId].join(' ')}
      columns={[
        {
          title: t('admin.kind'),
          render: ({ kind, rail }) => `${nameOf(kind)} (${nameOf(rail.toUpperCase())})`,
        },
        { title: t('admin.processorId'), render: ({ externalId, ourId }) => externalId ?? ourId ?? '' },
        { title: t('admin.expected'), render: ({ expected }) => expected ?? '–' },
        { title: t('admin.actual'), render: ({ actual }) => actual ?? '–' },
        { title: t('admin.note'), render: ({ note }) => note },
        { title: t('admin.state'), render: ({ open }) => <Status value={open ? 'OPEN' : 'DONE'} /> },
      ]}
    />
  )
}
