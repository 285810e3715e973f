import { IconPlayerPlay } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import type { Execution } from '../../../api/schema.d.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Page } from '../../../parts/page.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import type { Column } from '../../../parts/list/table.tsx'
import { t } from '../../../texts/text.ts'
import { RunActions } from './run-actions.tsx'
import { RUN_COLUMNS } from './run-columns.tsx'
import { RunFilter } from './run-filter.tsx'

const route = getRouteApi('/public/private/app/selling/runs')

const COLUMNS: readonly Column<Execution>[] = [
  {
    title: t('selling.column.run'),
    render: ({ id, jobReference }) => (
      <TextLink inherit to="/app/selling/runs/$id" params={{ id }}>
        {jobReference ?? t('selling.runs.noName')}
      </TextLink>
    ),
  },
  ...RUN_COLUMNS,
  { title: t('selling.column.actions'), isActions: true, render: run => <RunActions run={run} /> },
]

/** What the account and its agents ran, and what waits for a decision. */
export function BoughtRuns() {
  const { status, offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/runs' })
  const read = $api.useQuery('get', '/agents/my-runs', {
    params: { query: { status, offset, limit: PAGE_SIZE } },
  })
  return (
    <Page
      title={t('selling.bought.title')}
      description={t('selling.bought.text')}
      actions={
        <RunFilter
          status={status}
          onStatus={next => void navigate({ search: next ? { status: next } : {} })}
        />
      }
    >
      <ListView
        read={read}
        caption={t('selling.bought.title')}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={{
          icon: IconPlayerPlay,
          title: t('selling.bought.empty.title'),
          text: t('selling.bought.empty.text'),
        }}
        paging={{
          offset,
          onOffset: (next, replace) =>
            void navigate({ search: { status, offset: next || undefined }, replace }),
        }}
      />
    </Page>
  )
}
