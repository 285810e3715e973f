import {
  Box,
  Button,
  Collapse,
  Flex,
  Grid,
  Group,
  NativeSelect,
  SimpleGrid,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { IconAdjustmentsHorizontal, IconRobot, IconSearch } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { $api } from '../../api/client.ts'
import type { AgentResults } from '../../api/schema.d.ts'
import { Empty } from '../../parts/empty.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { oneOf } from '../../parts/search-params.ts'
import { useFilterField } from '../../parts/list/filter-field.ts'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { counted, t } from '../../texts/text.ts'
import { AgentCard } from './agent-card.tsx'
import { Filters } from './filters.tsx'
import './market.css'
import { Samples } from './samples.tsx'
import { filterCount, SORTS, type AgentSearch } from './search.ts'

const route = getRouteApi('/public/app/agents')

const queryOf = ({ sort, verified, online, ...filters }: AgentSearch) => ({
  ...filters,
  sortBy: sort,
  filterVerified: verified,
  filterOnline: online,
  facets: true,
  limit: PAGE_SIZE,
})

/** The catalog: agents that can be hired. */
export function Agents() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/app/agents' })
  const { data, error, refetch, isPending, isPlaceholderData } = $api.useQuery(
    'get',
    '/agents',
    { params: { query: queryOf(search) } },
    { placeholderData: previous => previous },
  )
  const change = (changes: Partial<AgentSearch>, replace = false) =>
    void navigate({
      search: previous => ({ ...previous, offset: undefined, ...changes }),
      resetScroll: false,
      replace,
    })
  const find = useFilterField(search.search, text => change({ search: text || undefined }))
  const clear = () => void navigate({ search: { search: search.search, sort: search.sort } })
  return (
    <Page title={t('agents.title')} description={t('agents.text')}>
      <Flex gap="sm" direction={{ base: 'column', sm: 'row' }}>
        <TextInput
          aria-label={t('agents.search')}
          placeholder={t('agents.search')}
          leftSection={<IconSearch size={18} aria-hidden />}
          type="search"
          size="md"
          flex={1}
          {...find}
        />
        <NativeSelect
          aria-label={t('agents.sort')}
          data={SORTS.filter(name => name !== 'relevance' || search.search).map(name => ({
            value: name,
            label: t(`agents.sort.${name}`),
          }))}
          value={search.sort ?? (search.search ? 'relevance' : 'createdAt')}
          onChange={event => change({ sort: oneOf(SORTS, event.currentTarget.value) })}
          size="md"
          w={{ base: '100%', sm: 200 }}
        />
      </Flex>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 3 }}>
          <FilterColumn search={search}>
            <Filters search={search} facets={data?.facets} onChange={change} onClear={clear} />
          </FilterColumn>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 9 }}>
          <ProblemNotice error={error} retry={() => void refetch()} />
          {isPending && <Loading height={180} rows={3} />}
          {data && <Results results={data} search={search} />}
          {data && (
            <Pager
              total={data.total}
              isCapped={data.totalIsCapped}
              isStale={isPlaceholderData}
              offset={search.offset ?? 0}
              onOffset={(offset, replace) => change({ offset }, replace)}
            />
          )}
        </Grid.Col>
      </Grid>
    </Page>
  )
}

/** Beside the list, and on a narrow screen above it behind a button. */
function FilterColumn({ search, children }: { search: AgentSearch; children: ReactNode }) {
  const isWide = useMediaQuery('(min-width: 62em)', window.matchMedia('(min-width: 62em)').matches)
  const [isOpen, { toggle }] = useDisclosure()
  const count = filterCount(search)
  if (isWide) return <Box>{children}</Box>
  return (
    <>
      <Button
        variant="default"
        fullWidth
        leftSection={<IconAdjustmentsHorizontal size={18} aria-hidden />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {count > 0 ? counted('agents.filters', count) : t('agents.filters')}
      </Button>
      <Collapse expanded={isOpen} pt="md">
        {children}
      </Collapse>
    </>
  )
}

interface ResultsProps {
  results: AgentResults
  search: AgentSearch
}

function Results({ results: { agents, total }, search }: ResultsProps) {
  if (agents.length === 0)
    return filterCount(search) > 0 || search.search ? (
      <Empty icon={IconRobot} title={t('agents.empty.title')} text={t('agents.empty.text')} />
    ) : (
      <Samples />
    )
  return (
    <>
      <Group mb="sm">
        <Text size="sm" c="dimmed" aria-live="polite">
          {counted('agents.count', total)}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mb="lg">
        {agents.map(agent => (
          <AgentCard key={agent.id} agent={agent} />
        ))}
      </SimpleGrid>
    </>
  )
}
