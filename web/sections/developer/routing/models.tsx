import { Badge, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import type { Model } from '../../../api/schema.d.ts'
import { money, number } from '../../../parts/format.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { t } from '../../../texts/text.ts'

const TIERS = ['all', 'economy', 'mid', 'premium'] as const
type Tier = (typeof TIERS)[number]

const CAPABILITIES = ['vision', 'tools', 'json_schema', 'reasoning'] as const

/** The models that a routing key can use, with their prices. */
export function Models() {
  const { data, error, refetch, isPending } = $api.useQuery('get', '/v1/models', {})
  const [tier, setTier] = useState<Tier>('all')
  return (
    <Page
      title={t('developer.models')}
      description={t('developer.models.text')}
      actions={
        <ButtonLink to="/app/developer/playground" variant="default">
          {t('nav.playground')}
        </ButtonLink>
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={10} />}
      {data && (
        <>
          <SegmentedControl<Tier>
            aria-label={t('developer.models.tier')}
            data={TIERS.map(value => ({ value, label: t(`developer.tier.${value}`) }))}
            value={tier}
            onChange={setTier}
          />
          <ModelTable
            caption={t('developer.models')}
            models={data.data.filter(model => tier === 'all' || model.tier === tier)}
          />
          <Text size="sm" c="dimmed">
            {t('developer.models.virtual', { names: data.virtual.map(({ id }) => id).join(', ') })}
          </Text>
          <Text fw={600} component="h2">
            {t('developer.models.embeddings')}
          </Text>
          <ModelTable caption={t('developer.models.embeddings')} models={data.embeddings} />
        </>
      )}
    </Page>
  )
}

function ModelTable({ caption, models }: { caption: string; models: readonly Model[] }) {
  return (
    <DataTable
      caption={caption}
      rows={models}
      idOf={({ id }) => id}
      columns={[
        {
          title: t('developer.model'),
          render: ({ id, owned_by: provider }) => (
            <Stack gap={0}>
              <Text fw={500}>{id}</Text>
              <Text size="xs" c="dimmed">
                {provider}
              </Text>
            </Stack>
          ),
        },
        { title: t('developer.models.tier'), render: ({ tier }) => t(`developer.tier.${tier}`) },
        {
          title: t('developer.models.input'),
          align: 'right',
          render: ({ pricing }) => money(pricing.input, 'USD'),
        },
        {
          title: t('developer.models.output'),
          align: 'right',
          render: ({ pricing }) => money(pricing.output, 'USD'),
        },
        { title: t('developer.models.context'), align: 'right', render: ({ context }) => number(context) },
        {
          title: t('developer.models.can'),
          render: ({ capabilities }) => (
            <Group gap={4}>
              {CAPABILITIES.filter(name => capabilities[name]).map(name => (
                <Badge key={name} variant="default" size="sm" tt="none">
                  {t(`developer.capability.${name}`)}
                </Badge>
              ))}
            </Group>
          ),
        },
        {
          title: t('developer.status'),
          render: ({ status }) => (
            <Status value={status.toUpperCase()} label={t(`developer.modelStatus.${status}`)} />
          ),
        },
      ]}
    />
  )
}
