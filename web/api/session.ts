import { Problem } from './problem.ts'

/** The server keeps the tokens in cookies that no script can read; this one only says that there are some. */
const MARK = 'svc_signed_in=1'
/** Makes the server set and take cookies in place of tokens in the body. */
export const SESSION_HEADER = { 'x-svc-session': 'cookie' } as const

export const maySignedIn = (): boolean => document.cookie.includes(MARK)

let refreshing: Promise<boolean> | null = null
let isEnded = false
let isLeft = false
const watchers = new Set<() => void>()

/** Whether the session of this page has ended by itself, for `useSyncExternalStore`: it expired, or was ended elsewhere. */
export const sessionEnd = {
  has: (): boolean => isEnded,
  watch(watcher: () => void): () => void {
    watchers.add(watcher)
    return () => void watchers.delete(watcher)
  },
  /** The person has signed out: this page is left, and has nothing to say of it. */
  leave(): void {
    isLeft = true
  },
  set(value: boolean): void {
    if (isLeft) return
    isEnded = value
    for (const watcher of watchers) watcher()
  },
}

/** Renews the session; false if it has ended. Requests of this page that need it wait for one renewal. */
export function renewSession(): Promise<boolean> {
  refreshing ??= oneTabAtATime(refresh)
    .then(isRenewed => {
      if (!isRenewed && !maySignedIn()) sessionEnd.set(true)
      return isRenewed
    })
    .finally(() => {
      refreshing = null
    })
  return refreshing
}

/** A refresh token works once: of several tabs one renews, and the next one finds the new cookie. */
const oneTabAtATime = (work: () => Promise<boolean>): Promise<boolean> =>
  'locks' in navigator ? navigator.locks.request('svc-refresh', work) : work()

async function refresh(): Promise<boolean> {
  if (await isSignedIn()) return true
  const { status, ok } = await fetch('/auth/refresh', {
    method: 'POST',
    headers: { ...SESSION_HEADER, 'content-type': 'application/json' },
    body: '{}',
  })
  // Where the browser has no locks, another tab may have been first: its cookie counts.
  if (status === 401) return isSignedIn()
  if (!ok && status !== 403) throw new Problem(status, {})
  return ok
}

const isSignedIn = async (): Promise<boolean> => (await fetch('/users/me')).ok
