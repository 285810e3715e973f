import { queryClient } from '../../api/client.ts'

/** Goes on as the account that has just signed in: to the page that asked for it, if it is one of ours. */
export function enter(next = '/app'): void {
  queryClient.clear()
  const target = new URL(next, location.origin)
  // Loaded anew, so that nothing of another account stays in memory.
  location.assign(target.origin === location.origin ? target : '/app')
}
