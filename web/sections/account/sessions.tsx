import { Badge, Box, Button, Group, Text } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import type { Session } from '../../api/schema.d.ts'
import { Loading } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { DataTable, type Column } from '../../parts/list/table.tsx'
import { When } from '../../parts/when.tsx'
import { nameOf, t } from '../../texts/text.ts'
import { sayDone } from './done.ts'
import { Setting } from './setting.tsx'

const route = getRouteApi('/public/private/app/account/security')
const MOST_AT_ONCE = 100

/** Where the account is signed in. */
export function Sessions() {
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/account/security' })
  const query = { limit: PAGE_SIZE, offset }
  const { data, error, refetch, isPending } = $api.useQuery('get', '/auth/sessions', { params: { query } })
  const end = $api.useMutation('delete', '/auth/sessions/{id}', {
    onSuccess: () => refreshReads('/auth/sessions'),
  })
  const columns: Column<Session>[] = [
    { title: t('sessions.device'), render: session => <Device session={session} /> },
    { title: t('sessions.used'), render: ({ lastUsedAt }) => <When at={lastUsedAt} /> },
    { title: t('sessions.began'), render: ({ createdAt }) => <When at={createdAt} /> },
    {
      title: t('list.actions'),
      isActions: true,
      align: 'right',
      render: ({ id, current }) =>
        !current && (
          <Button
            variant="default"
            size="xs"
            loading={end.isPending && end.variables.params.path.id === id}
            onClick={() => end.mutate({ params: { path: { id } } })}
          >
            {t('sessions.end')}
          </Button>
        ),
    },
  ]
  return (
    <Setting title={t('sessions.title')} text={t('sessions.text')}>
      <ProblemNotice error={error ?? end.error} retry={error ? () => void refetch() : undefined} />
      {isPending && <Loading rows={2} />}
      {data && (
        <>
          <Box w="100%">
            <DataTable
              caption={t('sessions.title')}
              columns={columns}
              rows={data.items}
              idOf={({ id }) => id}
            />
          </Box>
          <Pager
            total={data.total}
            offset={offset}
            onOffset={(next, replace) => void navigate({ search: { offset: next }, replace })}
          />
          {data.total > 1 && <EndOthers />}
        </>
      )}
    </Setting>
  )
}

function Device({ session: { userAgent, ip, method, current } }: { session: Session }) {
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {deviceOf(userAgent ?? '')}
        </Text>
        {current && (
          <Badge variant="light" tt="none">
            {t('sessions.current')}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {[nameOf(method.toUpperCase()), ip].filter(Boolean).join(' · ')}
      </Text>
    </>
  )
}

const BROWSERS = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'] as const
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'] as const

/** Browser and system, as far as the browser says; the first words of programs. */
function deviceOf(userAgent: string): string {
  const browser = BROWSERS.find(name => userAgent.includes(`${name}/`))
  const system = SYSTEMS.find(name => userAgent.includes(name))
  if (!browser) return userAgent.slice(0, 40) || t('sessions.unknown')
  return [NAMES[browser] ?? browser, system].filter(Boolean).join(', ')
}

/** Ends all sessions but this one: those of a first page, until only this one is left. */
async function endOthers(): Promise<void> {
  const query = { limit: MOST_AT_ONCE }
  for (;;) {
    const { data } = await api.GET('/auth/sessions', { params: { query } })
    const rest = (data?.items ?? []).filter(({ current }) => !current)
    if (rest.length === 0) return
    for (const { id } of rest) await api.DELETE('/auth/sessions/{id}', { params: { path: { id } } })
  }
}

function EndOthers() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = async () => {
    setBusy(true)
    setError(null)
    try {
      await endOthers()
      sayDone('sessions.ended')
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
      await refreshReads('/auth/sessions')
    }
  }
  return (
    <>
      <ProblemNotice error={error} />
      <Button color="red" variant="light" loading={isBusy} onClick={() => void run()}>
        {t('sessions.endOthers')}
      </Button>
    </>
  )
}
