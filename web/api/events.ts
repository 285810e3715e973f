import { maySignedIn, renewSession } from './session.ts'

const PAUSE_MS = 5000

interface Listener {
  types: readonly string[]
  /** Id of the event that all others follow; without it the stream begins now. */
  since?: string
  onEvent(event: MessageEvent<string>): void
  onOpen(): void
  onBreak?(): void
}

/** Listens to a stream of events until the function that it returns is called. */
export function openEvents(
  address: string,
  { types, since, onEvent, onOpen, onBreak }: Listener,
): () => void {
  let stream: EventSource | undefined
  let pause: number | undefined
  let isLeft = false
  let last = since
  const open = () => {
    stream = new EventSource(last === undefined ? address : `${address}?lastEventId=${last}`)
    for (const type of types)
      stream.addEventListener(type, (event: MessageEvent<string>) => {
        last = event.lastEventId
        onEvent(event)
      })
    stream.addEventListener('open', onOpen)
    stream.addEventListener('error', () => {
      onBreak?.()
      // The browser connects again by itself unless it was refused: then the session may need its renewal.
      if (stream?.readyState !== EventSource.CLOSED) return
      void renewSession()
        .catch(() => false)
        .then(() => {
          if (!isLeft && maySignedIn()) pause = window.setTimeout(open, PAUSE_MS)
        })
    })
  }
  open()
  return () => {
    isLeft = true
    stream?.close()
    window.clearTimeout(pause)
  }
}
