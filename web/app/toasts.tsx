import { notificationsStore } from '@mantine/notifications'
import { lazy, Suspense, useSyncExternalStore } from 'react'

/** Most visits show no notification: what draws them is loaded with the first one. */
const Container = lazy(() => import('./toast-container.tsx'))

const hasToasts = () => notificationsStore.getState().notifications.length > 0
let wasWanted = false
const isWanted = () => (wasWanted ||= hasToasts())

export function Toasts() {
  const wanted = useSyncExternalStore(notificationsStore.subscribe, isWanted)
  return (
    wanted && (
      <Suspense>
        <Container />
      </Suspense>
    )
  )
}
