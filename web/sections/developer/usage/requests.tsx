import { Button, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { IconList, IconSearch } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import type { RoutedRequest } from '../../../api/schema.d.ts'
import { Empty } from '../../../parts/empty.tsx'
import { money, number } from '../../../parts/format.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { useFilterField } from '../../../parts/list/filter-field.ts'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'
import { OUTCOMES, type RequestSearch } from '../search.ts'
import { Outcome, RequestDetails } from './request-details.tsx'

const route = getRouteApi('/public/private/app/developer/requests')

/** Each request to a model: which one answered, how long it took and what it cost. */
export function Requests() {
  const { search, model, key, outcome, from, cursor } = route.useSearch()
  const navigate = useNavigate({ from: '/app/developer/requests' })
  const query = {
    limit: PAGE_SIZE,
    ...(search ? { search } : {}),
    ...(model ? { model } : {}),
    ...(key ? { key } : {}),
    ...(outcome ? { outcome } : {}),
    // The day begins where the person is.
    ...(from ? { from: new Date(`${from}T00:00`).toISOString() } : {}),
    ...(cursor ? { cursor } : {}),
  }
  const { data, error, refetch, isPending } = $api.useQuery('get', '/v1/usage', { params: { query } })
  const [opened, setOpened] = useState<RoutedRequest | null>(null)
  const filter = { search, model, key, outcome, from }
  const show = (next: RequestSearch) => void navigate({ search: next })
  // What was typed goes with the filters.
  const [cleared, setCleared] = useState(0)
  const clear = () => {
    setCleared(cleared + 1)
    show({})
  }
  const isFiltered = Object.values(filter).some(Boolean)
  return (
    <Page title={t('developer.requests')} description={t('developer.requests.text')}>
      <Filters
        key={cleared}
        filter={filter}
        onChange={change => void navigate({ search: old => ({ ...old, ...change, cursor: undefined }) })}
      />
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data?.data.length === 0 && (
        <Empty
          icon={IconList}
          title={t('developer.requests.empty')}
          text={t(
            data.nextCursor
              ? 'developer.requests.emptyPart'
              : isFiltered
                ? 'developer.requests.emptyFilter'
                : 'developer.usage.emptyText',
          )}
          action={
            isFiltered ? (
              <Button variant="default" onClick={clear}>
                {t('developer.requests.clear')}
              </Button>
            ) : (
              <ButtonLink to="/app/developer/playground">{t('nav.playground')}</ButtonLink>
            )
          }
        />
      )}
      {data && data.data.length > 0 && <RequestTable requests={data.data} onOpen={setOpened} />}
      {data && (cursor || data.nextCursor) && (
        <Group justify="flex-end" gap="xs" component="nav" aria-label={t('list.pages')}>
          <Button variant="default" size="xs" disabled={!cursor} onClick={() => show(filter)}>
            {t('developer.requests.newest')}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={!data.nextCursor}
            onClick={() => show({ ...filter, cursor: data.nextCursor ?? undefined })}
          >
            {t('developer.requests.older')}
          </Button>
        </Group>
      )}
      <RequestDetails request={opened} onClose={() => setOpened(null)} />
    </Page>
  )
}

type Filter = Omit<RequestSearch, 'cursor'>

function Filters({ filter, onChange }: { filter: Filter; onChange(change: Filter): void }) {
  const { data: models } = $api.useQuery('get', '/v1/models', {})
  const { data: keys } = $api.useQuery('get', '/v1/auth/keys', {})
  const find = useFilterField(filter.search, text => onChange({ search: text || undefined }))
  return (
    <Stack gap="sm">
      <TextInput
        label={t('developer.requests.search')}
        placeholder={t('developer.requests.searchHint')}
        maxLength={500}
        leftSection={<IconSearch size={18} />}
        {...find}
      />
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        <Select
          label={t('developer.model')}
          placeholder={t('field.any')}
          data={[...(models?.data ?? []), ...(models?.embeddings ?? [])].map(({ id }) => id)}
          value={filter.model ?? null}
          onChange={next => onChange({ model: next ?? undefined })}
          searchable
          clearable
        />
        <Select
          label={t('developer.routingKey')}
          placeholder={t('field.any')}
          data={keys?.data.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          value={filter.key ?? null}
          onChange={next => onChange({ key: next ?? undefined })}
          clearable
        />
        <Select
          label={t('developer.outcome')}
          placeholder={t('field.any')}
          data={OUTCOMES.map(value => ({ value, label: t(`developer.outcome.${value}`) }))}
          value={filter.outcome ?? null}
          onChange={next => onChange({ outcome: next ?? undefined })}
          clearable
        />
        <TextInput
          type="date"
          label={t('developer.requests.since')}
          value={filter.from ?? ''}
          onChange={event => onChange({ from: event.currentTarget.value || undefined })}
        />
      </SimpleGrid>
    </Stack>
  )
}

interface RequestTableProps {
  requests: readonly RoutedRequest[]
  onOpen(request: RoutedRequest): void
}

function RequestTable({ requests, onOpen }: RequestTableProps) {
  return (
    <DataTable
      caption={t('developer.requests')}
      rows={requests}
      idOf={({ id }) => id}
      columns={[
        { title: t('developer.requests.time'), render: ({ createdAt }) => <When at={createdAt} /> },
        { title: t('developer.model'), render: ({ model }) => model },
        { title: t('developer.requests.asked'), render: ({ requestedModel }) => requestedModel },
        {
          title: t('developer.usage.tokens'),
          align: 'right',
          render: ({ tokens }) => number(tokens.input + tokens.output),
        },
        {
          title: t('developer.usage.latency'),
          align: 'right',
          render: ({ latencyMs }) => t('developer.ms', { count: number(latencyMs) }),
        },
        {
          title: t('developer.usage.cost'),
          align: 'right',
          render: ({ costUsd }) => money(costUsd, 'USD'),
        },
        { title: t('developer.outcome'), render: ({ outcome }) => <Outcome value={outcome} /> },
        {
          title: t('developer.requests.details'),
          isActions: true,
          render: request => (
            <Button size="xs" variant="default" onClick={() => onOpen(request)}>
              {t('developer.requests.details')}
            </Button>
          ),
        },
      ]}
    />
  )
}
