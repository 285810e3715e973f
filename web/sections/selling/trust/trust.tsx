import { getRouteApi } from '@tanstack/react-router'
import { AgentFrame } from '../agent/frame.tsx'
import { BadgeSnippet } from './badge.tsx'
import { PassportPanel } from './passport.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id/trust')

/** What the agent shows to others to prove itself. */
export function Trust() {
  const { id } = route.useParams()
  return (
    <AgentFrame id={id}>
      {agent => (
        <>
          <PassportPanel agent={agent} />
          <BadgeSnippet agent={agent} />
        </>
      )}
    </AgentFrame>
  )
}
