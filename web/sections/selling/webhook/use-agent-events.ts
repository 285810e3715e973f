import { useEffect, useState } from 'react'
import { openEvents } from '../../../api/events.ts'
import { EVENT_TYPES } from './event-types.ts'

export interface ShownEvent {
  id: string
  type: string
  createdAt: string
  /** The deal that it is about; null if it is about something else. */
  dealId: string | null
}

interface Sent {
  id: string
  type: string
  timestamp: string
  data: { negotiationId?: string }
}

const SHOWN = 20

/** The newest events of an agent, of the past too, as long as the page is open. */
export function useAgentEvents(agentId: string): { events: readonly ShownEvent[]; isConnected: boolean } {
  const [events, setEvents] = useState<readonly ShownEvent[]>([])
  const [isConnected, setConnected] = useState(false)
  useEffect(() => {
    const take = ({ data }: MessageEvent<string>) => {
      const { id, type, timestamp, data: subject } = JSON.parse(data) as Sent
      const event = { id, type, createdAt: timestamp, dealId: subject.negotiationId ?? null }
      setEvents(shown => [event, ...shown.filter(other => other.id !== id)].slice(0, SHOWN))
    }
    return openEvents(`/agents/${encodeURIComponent(agentId)}/events`, {
      types: EVENT_TYPES,
      since: '0',
      onEvent: take,
      onOpen: () => setConnected(true),
      onBreak: () => setConnected(false),
    })
  }, [agentId])
  return { events, isConnected }
}
