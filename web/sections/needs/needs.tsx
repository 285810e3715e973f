import { Card, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconBulb, IconSearch } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import type { Need } from '../../api/schema.d.ts'
import { Empty } from '../../parts/empty.tsx'
import { date, money } from '../../parts/format.ts'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Status } from '../../parts/status.tsx'
import { useFilterField } from '../../parts/list/filter-field.ts'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { counted, t } from '../../texts/text.ts'

const route = getRouteApi('/public/app/needs')

/** The needs board: work that buyers look for agents for. */
export function Needs() {
  const { search, mine: asked = false, offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/needs' })
  const me = useMe()
  // A visitor has none of their own.
  const mine = asked && me !== null
  const query = { search, offset, limit: PAGE_SIZE, ...(mine ? { mine } : { status: 'OPEN' as const }) }
  const { data, error, refetch, isPending } = $api.useQuery('get', '/market/needs', { params: { query } })
  const find = useFilterField(search, text => void navigate({ search: { search: text || undefined, mine } }))
  const publish = <ButtonLink to="/app/needs/new">{t('needs.publish')}</ButtonLink>
  return (
    <Page title={t('needs.title')} description={t('needs.text')} actions={publish}>
      <Group>
        <TextInput
          flex={1}
          miw={220}
          aria-label={t('needs.search')}
          placeholder={t('needs.search')}
          leftSection={<IconSearch size={18} />}
          {...find}
        />
        {me && (
          <SegmentedControl
            aria-label={t('needs.whose')}
            value={mine ? 'mine' : 'all'}
            onChange={value => void navigate({ search: { search, mine: value === 'mine' } })}
            data={[
              { value: 'all', label: t('needs.all') },
              { value: 'mine', label: t('needs.mine') },
            ]}
          />
        )}
      </Group>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading height={96} />}
      {data?.items.length === 0 && (
        <Empty icon={IconBulb} title={t('needs.empty.title')} text={t('needs.empty.text')} action={publish} />
      )}
      <Stack gap="sm">
        {data?.items.map(need => (
          <NeedCard key={need.id} need={need} />
        ))}
      </Stack>
      {data && (
        <Pager
          total={data.total}
          isCapped={data.totalIsCapped}
          offset={offset}
          onOffset={(next, replace) => void navigate({ search: { search, mine, offset: next }, replace })}
        />
      )}
    </Page>
  )
}

function NeedCard({
  need: { id, title, description, budget, currency, status, openOffers, deadline },
}: {
  need: Need
}) {
  return (
    <Card withBorder>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Title order={2} size="h4">
          <TextLink to="/app/needs/$id" params={{ id }} c="inherit">
            {title}
          </TextLink>
        </Title>
        <Text fw={600}>{money(budget, currency)}</Text>
      </Group>
      <Text size="sm" c="dimmed" lineClamp={2}>
        {description}
      </Text>
      <Group gap="sm" mt="xs">
        <Status value={status} />
        <Text size="sm">{counted('needs.offers', openOffers)}</Text>
        <Text size="sm" c="dimmed">
          {t('needs.deadline')} {date(deadline)}
        </Text>
      </Group>
    </Card>
  )
}
