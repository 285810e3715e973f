import { Badge, Button, Group, List, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../../api/client.ts'
import type { Agent, CertificationRun, CertificationSuiteId } from '../../../api/schema.d.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { dateTime, number } from '../../../parts/format.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { When } from '../../../parts/when.tsx'
import { counted, nameOf, t } from '../../../texts/text.ts'
import { AgentFrame } from '../agent/frame.tsx'
import { RunResults } from './run-results.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id/certification')
const SUITES: readonly CertificationSuiteId[] = ['smoke', 'reliability', 'reasoning', 'browser-execution']

/** Tests that prove what the agent can do. */
export function Certification() {
  const { id } = route.useParams()
  return (
    <AgentFrame id={id}>
      {agent => (
        <>
          <NewRun agent={agent} />
          <Runs agentId={id} />
        </>
      )}
    </AgentFrame>
  )
}

function NewRun({ agent: { id, ap2Endpoint } }: { agent: Agent }) {
  const [suite, setSuite] = useState<CertificationSuiteId>('smoke')
  const create = $api.useMutation('post', '/certification-runs')
  const start = $api.useMutation('post', '/certification-runs/{runId}/start')
  const begin = async () => {
    const run = await create.mutateAsync({ body: { suite, agentId: id } })
    void refreshReads('/certification-runs')
    await start.mutateAsync({ params: { path: { runId: run.id } } })
    void refreshReads('/certification-runs')
  }
  return (
    <Panel title={t('selling.certification.new')}>
      <Text size="sm" c="dimmed">
        {t('selling.certification.text')}
      </Text>
      {ap2Endpoint === null && (
        <Group gap="xs">
          <Text size="sm">{t('selling.certification.endpoint')}</Text>
          <ButtonLink to="/app/selling/agents/$id/edit" params={{ id }} size="xs" variant="default">
            {t('selling.tab.edit')}
          </ButtonLink>
        </Group>
      )}
      <NativeSelect
        label={t('selling.certification.suite')}
        maw={420}
        value={suite}
        onChange={({ currentTarget: { value } }) => setSuite(SUITES.find(each => each === value) ?? 'smoke')}
        data={SUITES.map(value => ({ value, label: t(`selling.suite.${value}`) }))}
      />
      <Text size="sm">{t(`selling.suite.${suite}.text`)}</Text>
      <ProblemNotice error={create.error ?? start.error} />
      <Group>
        <Button
          disabled={ap2Endpoint === null}
          loading={create.isPending || start.isPending}
          onClick={() => void begin().catch(() => undefined)}
        >
          {t('selling.certification.start')}
        </Button>
      </Group>
    </Panel>
  )
}

const PAGE = 100
const MOST_PAGES = 5

/** The runs of the account in which the agent takes part: the API lists them for the account. */
const useRunsOf = (agentId: string) =>
  useQuery({
    queryKey: ['get', '/certification-runs', agentId],
    queryFn: async () => {
      const runs: CertificationRun[] = []
      for (let page = 0; page < MOST_PAGES; page++) {
        const { data } = await api.GET('/certification-runs', {
          params: { query: { limit: PAGE, offset: page * PAGE } },
        })
        runs.push(...(data?.items ?? []))
        if ((data?.items.length ?? 0) < PAGE) break
      }
      return runs.filter(({ participants }) => participants.some(each => each.agentId === agentId))
    },
    refetchInterval: ({ state: { data } }) => (data?.some(isUnderWay) ? 2000 : false),
  })

const isUnderWay = ({ status }: CertificationRun): boolean => status === 'QUEUED' || status === 'RUNNING'

function Runs({ agentId }: { agentId: string }) {
  const { data, error, refetch } = useRunsOf(agentId)
  return (
    <Panel title={t('selling.certification.runs')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading rows={3} />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('selling.certification.none')}
        </Text>
      )}
      {data?.map(run => (
        <Run key={run.id} run={run} agentId={agentId} />
      ))}
    </Panel>
  )
}

function Run({ run, agentId }: { run: CertificationRun; agentId: string }) {
  const { suite, status, createdAt, abortReason, participants } = run
  const mine = participants.find(each => each.agentId === agentId)
  return (
    <Stack gap="xs" py="xs">
      <Group gap="sm">
        <Text fw={600}>{t(`selling.suite.${suite}`)}</Text>
        <Status value={mine && status !== 'ABORTED' ? mine.status : status} />
        {mine?.score !== null && mine?.score !== undefined && (
          <Badge variant="default" tt="none">
            {t('selling.certification.score', { score: number(mine.score) })}
          </Badge>
        )}
        <When at={createdAt} size="sm" c="dimmed" />
        {(status === 'OPEN' || isUnderWay(run)) && <Abort run={run} />}
      </Group>
      {abortReason && <Text size="sm">{abortReason}</Text>}
      {mine?.certificateId && mine.expiresAt && (
        <Text size="sm">{t('selling.certification.certificate', { time: dateTime(mine.expiresAt) })}</Text>
      )}
      {mine && mine.results.length > 0 && <RunResults results={mine.results} />}
      {participants.length > 1 && (
        <List size="sm">
          <List.Item>{counted('selling.certification.participants', participants.length)}</List.Item>
        </List>
      )}
    </Stack>
  )
}

function Abort({ run: { id, suite } }: { run: CertificationRun }) {
  const [opened, setOpened] = useState(false)
  const abort = $api.useMutation('post', '/certification-runs/{runId}/abort')
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`${t('selling.certification.abort')}: ${nameOf(suite.toUpperCase())}`}
        onClick={() => setOpened(true)}
      >
        {t('selling.certification.abort')}
      </Button>
      <FormDialog
        title={t('selling.certification.abort.title')}
        confirm={t('selling.certification.abort')}
        color="red"
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={async () => {
          await abort.mutateAsync({ params: { path: { runId: id } }, body: {} })
          void refreshReads('/certification-runs')
        }}
      >
        <Text size="sm">{t('selling.certification.abort.text')}</Text>
      </FormDialog>
    </>
  )
}
