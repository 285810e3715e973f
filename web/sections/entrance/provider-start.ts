import { maySignedIn } from '../../api/session.ts'
import { safeNext } from './enter.ts'

/** From the press of the button until the identity provider has sent the browser back: the page to go on to. */
const STARTED = 'svc.provider'

export const markProviderStart = (next: string): void => sessionStorage.setItem(STARTED, next)

/** Takes the mark of a sign-in that this tab has started; null if it has started none. */
export function takeProviderStart(): string | null {
  const next = sessionStorage.getItem(STARTED)
  sessionStorage.removeItem(STARTED)
  return next
}

/** True if the page is left: a sign-in at the identity provider ends at the overview, and was for another page. */
export function resumeProviderSignIn(): boolean {
  if (location.pathname !== '/app' || !maySignedIn()) return false
  const next = safeNext(takeProviderStart() ?? undefined)
  if (next === '/app') return false
  location.replace(next)
  return true
}
