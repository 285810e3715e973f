import { Button, Code, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { $api, api } from '../../../api/client.ts'
import { downloadFile } from '../../../parts/download.ts'
import { Details } from '../../../parts/details.tsx'
import { money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'
import { useAgent } from '../queries.ts'
import { RunActions } from './run-actions.tsx'
import { durationOf, RunPayment } from './run-columns.tsx'

const route = getRouteApi('/public/private/app/selling/runs/$id')

/** One run with its input and output. */
export function BoughtRun() {
  const { id } = route.useParams()
  const {
    data: run,
    error,
    refetch,
  } = $api.useQuery('get', '/agents/my-runs/{id}', { params: { path: { id } } })
  const { data: agent } = useAgent(run?.agentId ?? '')
  const save = async () => {
    const { data } = await api.GET('/agents/my-runs/{id}/debug-bundle', { params: { path: { id } } })
    if (data) downloadFile(`run-${id}.json`, 'application/json', JSON.stringify(data, null, 2))
  }
  return (
    <Page
      title={run?.jobReference ?? t('selling.run')}
      actions={
        run && (
          <>
            <RunActions run={run} />
            <Button variant="default" size="xs" onClick={() => void save()}>
              {t('selling.run.bundle')}
            </Button>
          </>
        )
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!run && !error && <Loading />}
      {run && (
        <>
          <Panel title={t('selling.run.state')}>
            <Details
              rows={[
                [t('selling.column.status'), <Status key="status" value={run.status} />],
                [
                  t('selling.column.agent'),
                  agent ? (
                    <TextLink inherit key="agent" to="/app/agents/$slug" params={{ slug: agent.slug }}>
                      {agent.name}
                    </TextLink>
                  ) : (
                    t('selling.none')
                  ),
                ],
                [t('selling.column.amount'), money(run.price, run.currency)],
                [t('selling.column.payment'), <RunPayment key="payment" payment={run.payment} />],
                [t('selling.column.begun'), <When key="begun" at={run.createdAt} />],
                [t('selling.column.duration'), durationOf(run)],
                [t('selling.column.problem'), run.error?.message ?? run.error?.code ?? t('selling.none')],
              ]}
            />
          </Panel>
          <Part title={t('selling.run.input')} value={run.input} />
          <Part title={t('selling.run.output')} value={run.output} />
        </>
      )}
    </Page>
  )
}

function Part({ title, value }: { title: string; value: unknown }) {
  return (
    <Panel title={title}>
      {value === null || value === undefined ? (
        <Text size="sm" c="dimmed">
          {t('selling.none')}
        </Text>
      ) : (
        <Code block tabIndex={0}>
          {JSON.stringify(value, null, 2)}
        </Code>
      )}
    </Panel>
  )
}
