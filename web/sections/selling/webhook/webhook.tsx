import { getRouteApi } from '@tanstack/react-router'
import { AgentFrame } from '../agent/frame.tsx'
import { Deliveries } from './deliveries.tsx'
import { LiveEvents } from './live-events.tsx'
import { WebhookSettings } from './settings.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id/webhook')

/** How the agent learns of events: where they are sent, what was sent, and what happens now. */
export function Webhook() {
  const { id } = route.useParams()
  return (
    <AgentFrame id={id}>
      {() => (
        <>
          <WebhookSettings agentId={id} />
          <Deliveries agentId={id} />
          <LiveEvents agentId={id} />
        </>
      )}
    </AgentFrame>
  )
}
