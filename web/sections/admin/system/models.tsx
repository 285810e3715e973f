import { Button, Group, Text } from '@mantine/core'
import { IconCpu } from '@tabler/icons-react'
import { $api, refreshReads } from '../../../api/client.ts'
import { number } from '../../../parts/format.ts'
import { Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ListView } from '../../../parts/list/list-view.tsx'

/** The models of the gateway with the health of their providers. */
export function Models() {
  const { data: health } = $api.useQuery('get', '/v1/routing/health')
  const { data, ...read } = $api.useQuery('get', '/v1/routing/admin/model-health')
  const probe = $api.useMutation('post', '/v1/routing/admin/probe-models')
  return (
    <Page
      title={t('admin.models.title')}
      description={t('admin.models.text')}
      actions={
        <Button
          variant="default"
          loading={probe.isPending}
          onClick={() => probe.mutate({}, { onSuccess: () => void refreshReads('/v1/routing/') })}
        >
          {t('admin.models.probe')}
        </Button>
      }
    >
      <ProblemNotice error={probe.error} />
      {health && (
        <Group gap="xs" aria-live="polite">
          <Status value={health.status.toUpperCase()} />
          <Text size="sm">
            {t('admin.models.available', {
              available: number(health.models.available),
              total: number(health.models.total),
            })}
          </Text>
          {health.simulated && (
            <Text size="sm" c="dimmed">
              {t('admin.models.simulated')}
            </Text>
          )}
        </Group>
      )}
      <ListView
        read={{ ...read, data: data && { items: data.data, total: data.data.length } }}
        caption={t('admin.models.title')}
        idOf={({ model }) => model}
        empty={{ icon: IconCpu, title: t('admin.models.empty'), text: t('admin.models.empty.text') }}
        columns={[
          { title: t('admin.model'), render: ({ model }) => model },
          { title: t('admin.provider'), render: ({ provider }) => provider },
          { title: t('admin.tier'), render: ({ tier }) => nameOf(tier.toUpperCase()) },
          { title: t('admin.state'), render: ({ status }) => <Status value={status.toUpperCase()} /> },
          { title: t('admin.breaker'), render: ({ breaker }) => nameOf(breaker.toUpperCase()) },
          {
            title: t('admin.latency'),
            align: 'right',
            render: ({ latencyMs }) => (latencyMs === null ? '–' : `${number(latencyMs)} ms`),
          },
          {
            title: t('admin.calls'),
            align: 'right',
            render: ({ calls, failures }) => `${number(calls)} / ${number(failures)}`,
          },
          {
            title: t('admin.lastFailure'),
            render: ({ lastFailure, lastFailureAt }) =>
              lastFailure && lastFailureAt ? (
                <>
                  {lastFailure} <When at={lastFailureAt} c="dimmed" />
                </>
              ) : (
                '–'
              ),
          },
        ]}
      />
    </Page>
  )
}
