import { useDebouncedCallback } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'

/**
 * Applies a filter once typing has paused for `delay` ms. It is dropped when the person has opened another page meanwhile:
 * to apply it would navigate back to the list.
 */
export function useDelayedFilter<T>(apply: (value: T) => void, delay = 250): (value: T) => void {
  const router = useRouter()
  const [own] = useState(() => router.latestLocation.pathname)
  return useDebouncedCallback((value: T) => {
    if (router.latestLocation.pathname === own) apply(value)
  }, delay)
}
