import { Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { $api } from '../../api/client.ts'
import { money } from '../../parts/format.ts'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'

const route = getRouteApi('/public/app/agents/$slug')

export function AgentPage() {
  const { slug } = route.useParams()
  const {
    data: agent,
    error,
    refetch,
    isPending,
  } = $api.useQuery('get', '/agents/slug/{slug}', { params: { path: { slug } } })
  return (
    <Page title={agent?.name ?? t('agents.title')} description={agent?.description}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {agent && <Text fw={600}>{money(agent.pricing.amount, agent.pricing.currency)}</Text>}
    </Page>
  )
}
