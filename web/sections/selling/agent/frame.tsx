import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMe } from '../../../api/me.ts'
import { asProblem } from '../../../api/problem.ts'
import type { Agent } from '../../../api/schema.d.ts'
import { NotFound } from '../../../app/not-found.tsx'
import { ButtonLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { t } from '../../../texts/text.ts'
import { useAgent } from '../queries.ts'

const TABS = [
  { to: '/app/selling/agents/$id', label: 'selling.tab.overview' },
  { to: '/app/selling/agents/$id/edit', label: 'selling.tab.edit' },
  { to: '/app/selling/agents/$id/inbox', label: 'selling.tab.inbox' },
  { to: '/app/selling/agents/$id/runs', label: 'selling.tab.runs' },
  { to: '/app/selling/agents/$id/payments', label: 'selling.tab.payments' },
  { to: '/app/selling/agents/$id/webhook', label: 'selling.tab.webhook' },
  { to: '/app/selling/agents/$id/keys', label: 'selling.tab.keys' },
  { to: '/app/selling/agents/$id/rules', label: 'selling.tab.rules' },
  { to: '/app/selling/agents/$id/certification', label: 'selling.tab.certification' },
  { to: '/app/selling/agents/$id/trust', label: 'selling.tab.trust' },
  { to: '/app/selling/agents/$id/reviews', label: 'selling.tab.reviews' },
] as const

interface AgentFrameProps {
  id: string
  children(agent: Agent): ReactNode
}

/** Every page about one agent of the account: its name and state, and the links between these pages. */
export function AgentFrame({ id, children }: AgentFrameProps) {
  const { data: agent, error, refetch } = useAgent(id)
  const me = useMe()
  const isUnknown = error !== null && asProblem(error).status === 404
  // The page of another account's agent is the one in the catalog.
  const isForeign = agent && me && ![agent.ownerId, agent.creatorId].includes(me.id)
  if (isUnknown || isForeign) return <NotFound />
  return (
    <Page
      title={agent?.name ?? t('selling.agent')}
      actions={
        agent && (
          <>
            <Status value={agent.status} />
            {agent.status === 'ACTIVE' && (
              <ButtonLink
                to="/app/agents/$slug"
                params={{ slug: agent.slug }}
                variant="default"
                size="compact-sm"
              >
                {t('selling.seePublic')}
              </ButtonLink>
            )}
          </>
        )
      }
    >
      <Group component="nav" aria-label={t('selling.tabs')} gap={4}>
        {TABS.map(({ to, label }) => (
          <ButtonLink
            key={to}
            to={to}
            params={{ id }}
            activeOptions={{ exact: true, includeSearch: false }}
            activeProps={{ variant: 'light' }}
            inactiveProps={{ variant: 'subtle', color: 'gray' }}
            size="compact-sm"
            fw={400}
          >
            {t(label)}
          </ButtonLink>
        ))}
      </Group>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!agent && !error && <Loading />}
      {agent && children(agent)}
    </Page>
  )
}
