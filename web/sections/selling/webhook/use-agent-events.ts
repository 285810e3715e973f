import { useEffect, useState } from 'react'
import { renewSession } from '../../../api/session.ts'
import { EVENT_TYPES } from './event-types.ts'

export interface ShownEvent {
  id: string
  type: string
  createdAt: string
  /** The deal that it is about. */
  subjectId: string
}

interface Sent {
  id: string
  type: string
  timestamp: string
  data: { negotiationId?: string }
}

const SHOWN = 20
const PAUSE_MS = 5000

/** The newest events of an agent, of the past too, as long as the page is open. */
export function useAgentEvents(agentId: string): { events: readonly ShownEvent[]; isConnected: boolean } {
  const [events, setEvents] = useState<readonly ShownEvent[]>([])
  const [isConnected, setConnected] = useState(false)
  useEffect(() => {
    let stream: EventSource | undefined
    let pause: number | undefined
    let last = '0'
    let isLeft = false
    const take = ({ data, lastEventId }: MessageEvent<string>) => {
      last = lastEventId
      const { id, type, timestamp, data: deal } = JSON.parse(data) as Sent
      const event = { id, type, createdAt: timestamp, subjectId: deal.negotiationId ?? '' }
      setEvents(shown => [event, ...shown.filter(other => other.id !== id)].slice(0, SHOWN))
    }
    const open = () => {
      stream = new EventSource(`/agents/${encodeURIComponent(agentId)}/events?lastEventId=${last}`)
      for (const type of EVENT_TYPES) stream.addEventListener(type, take)
      stream.addEventListener('open', () => setConnected(true))
      stream.addEventListener('error', () => {
        setConnected(false)
        // The browser connects again by itself unless it was refused: then the session may need its renewal.
        if (stream?.readyState !== EventSource.CLOSED) return
        void renewSession()
          .catch(() => false)
          .then(() => {
            if (!isLeft) pause = window.setTimeout(open, PAUSE_MS)
          })
      })
    }
    open()
    return () => {
      isLeft = true
      stream?.close()
      window.clearTimeout(pause)
    }
  }, [agentId])
  return { events, isConnected }
}
