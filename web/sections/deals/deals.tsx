import { Flex, SegmentedControl, Select, Text, TextInput } from '@mantine/core'
import { IconFileDescription, IconSearch } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../api/client.ts'
import { useLiveDeals } from '../../api/live.ts'
import { Empty } from '../../parts/empty.tsx'
import { money } from '../../parts/format.ts'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { oneOf } from '../../parts/search-params.ts'
import { useFilterField } from '../../parts/list/filter-field.ts'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { DataTable, type Column } from '../../parts/list/table.tsx'
import { When } from '../../parts/when.tsx'
import { t } from '../../texts/text.ts'
import { otherParty, type Deal, type Side } from './deal-state.ts'
import { DealStatus, dealStateName } from './states.tsx'
import { NEGOTIATION_STATES, SIDES, type DealSearch } from './search.ts'
import { useSideOf } from './use-side.ts'

const route = getRouteApi('/public/private/app/deals')

/** The deals of the person as buyer and as seller. */
export function Deals() {
  const search = route.useSearch()
  useLiveDeals()
  const { data, error, refetch, isPending, isPlaceholderData } = $api.useQuery(
    'get',
    '/ap2/negotiations',
    { params: { query: { ...search, limit: PAGE_SIZE } } },
    { placeholderData: previous => previous },
  )
  const sideOf = useSideOf(data?.items ?? [])
  const navigate = useNavigate({ from: '/app/deals' })
  const change = (changes: Partial<DealSearch>, replace = false) =>
    void navigate({ search: previous => ({ ...previous, offset: undefined, ...changes }), replace })
  const isFiltered = Boolean(search.role ?? search.status ?? search.search)
  return (
    <Page title={t('deals.title')} description={t('deals.text')}>
      <Filters search={search} onChange={change} />
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data?.items.length === 0 && (
        <Empty
          icon={IconFileDescription}
          title={t(isFiltered ? 'deals.empty.filtered' : 'deals.empty.title')}
          text={t(isFiltered ? 'deals.empty.filtered.text' : 'deals.empty.text')}
          action={
            !isFiltered && (
              <ButtonLink to="/app/agents" search={{}}>
                {t('deals.empty.action')}
              </ButtonLink>
            )
          }
        />
      )}
      {data && data.items.length > 0 && (
        <DataTable
          caption={t('deals.title')}
          columns={columnsFor(sideOf)}
          rows={data.items}
          idOf={({ id }) => id}
        />
      )}
      {data && (
        <Pager
          total={data.total}
          isCapped={data.totalIsCapped}
          isStale={isPlaceholderData}
          offset={search.offset ?? 0}
          onOffset={(offset, replace) => change({ offset }, replace)}
        />
      )}
    </Page>
  )
}

function Filters({ search, onChange }: { search: DealSearch; onChange(changes: Partial<DealSearch>): void }) {
  const find = useFilterField(search.search, text => onChange({ search: text || undefined }))
  return (
    <Flex gap="sm" direction={{ base: 'column', sm: 'row' }}>
      <SegmentedControl
        aria-label={t('deals.side')}
        data={[
          { value: 'all', label: t('deals.all') },
          { value: 'buyer', label: t('deals.buying') },
          { value: 'seller', label: t('deals.selling') },
        ]}
        value={search.role ?? 'all'}
        onChange={value => onChange({ role: oneOf(SIDES, value) })}
      />
      <TextInput
        aria-label={t('deals.search')}
        placeholder={t('deals.search')}
        leftSection={<IconSearch size={18} aria-hidden />}
        type="search"
        flex={1}
        {...find}
      />
      <Select
        aria-label={t('deals.state')}
        placeholder={t('deals.anyState')}
        data={NEGOTIATION_STATES.map(value => ({ value, label: dealStateName(value) }))}
        value={search.status ?? null}
        onChange={value => onChange({ status: oneOf(NEGOTIATION_STATES, value) })}
        clearable
        clearButtonProps={{ 'aria-label': t('deals.anyState') }}
        w={{ base: '100%', sm: 190 }}
      />
    </Flex>
  )
}

function columnsFor(sideOf: (deal: Deal) => Side | undefined): Column<Deal>[] {
  return [
    {
      title: t('deals.column.deal'),
      render: ({ id, requestedService }) => (
        <TextLink to="/app/deals/$id" params={{ id }} lineClamp={2}>
          {requestedService}
        </TextLink>
      ),
    },
    {
      title: t('deals.column.with'),
      render: deal => {
        const side = sideOf(deal)
        if (!side) return null
        return (
          <>
            {otherParty(deal, side)}
            <Text size="xs" c="dimmed">
              {t(side === 'buyer' ? 'deals.youBuy' : 'deals.youSell')}
            </Text>
          </>
        )
      },
    },
    { title: t('deals.column.state'), render: deal => <DealStatus deal={deal} /> },
    {
      title: t('deals.column.price'),
      align: 'right',
      render: ({ price, currency }) => money(price, currency),
    },
    { title: t('deals.column.changed'), render: ({ updatedAt }) => <When at={updatedAt} /> },
  ]
}
