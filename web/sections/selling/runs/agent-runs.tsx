import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import type { Agent, Execution } from '../../../api/schema.d.ts'
import { Panel } from '../../../parts/panel.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import type { Column } from '../../../parts/list/table.tsx'
import { t } from '../../../texts/text.ts'
import { AgentFrame } from '../agent/frame.tsx'
import { RUN_COLUMNS } from './run-columns.tsx'
import { RunFilter } from './run-filter.tsx'
import { TestRun } from './test-run.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id/runs')

const COLUMNS: readonly Column<Execution>[] = [
  { title: t('selling.column.run'), render: ({ jobReference }) => jobReference ?? t('selling.runs.noName') },
  ...RUN_COLUMNS,
]

/** Tries the agent out, and lists what buyers ran. */
export function AgentRuns() {
  const { id } = route.useParams()
  return (
    <AgentFrame id={id}>
      {agent => (
        <>
          <TestRun agent={agent} />
          <Runs agent={agent} />
        </>
      )}
    </AgentFrame>
  )
}

function Runs({ agent: { id } }: { agent: Agent }) {
  const { status, offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/agents/$id/runs' })
  const read = $api.useQuery('get', '/agents/{id}/executions', {
    params: { path: { id }, query: { status, offset, limit: PAGE_SIZE } },
  })
  return (
    <Panel
      title={t('selling.runs.title')}
      actions={
        <RunFilter
          status={status}
          onStatus={next => void navigate({ search: next ? { status: next } : {} })}
        />
      }
    >
      <ListView
        read={read}
        caption={t('selling.runs.title')}
        columns={COLUMNS}
        idOf={run => run.id}
        empty={t('selling.runs.none')}
        paging={{
          offset,
          onOffset: (next, replace) =>
            void navigate({ search: { status, offset: next || undefined }, replace }),
        }}
      />
    </Panel>
  )
}
