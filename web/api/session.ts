import { Problem } from './problem.ts'
import { randomKey } from './retry-key.ts'
import type { Error as ErrorBody } from './schema.d.ts'

const LOOKS = 10
const BETWEEN_LOOKS_MS = 300

/** The server keeps the tokens in cookies that no script can read; this one only says that there are some. */
const MARK = 'svc_signed_in=1'
/** The Idempotency-Key of a refresh without an answer. Repeated with it, also by another page, it gives the same tokens. */
const STORED_KEY = 'svc-refresh-key'
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
  const key = localStorage.getItem(STORED_KEY) ?? randomKey()
  localStorage.setItem(STORED_KEY, key)
  const response = await fetch('/auth/refresh', {
    method: 'POST',
    headers: { ...SESSION_HEADER, 'content-type': 'application/json', 'Idempotency-Key': key },
    body: '{}',
    // A page that is left meanwhile has used up the token: the browser must still take the cookies.
    keepalive: true,
  })
  const { status, ok } = response
  if (status < 500) localStorage.removeItem(STORED_KEY)
  if (status === 401)
    return isRenewedElsewhere((await response.json().catch(() => ({}))) as Partial<ErrorBody>)
  if (!ok && status !== 403) throw new Problem(status, {})
  return ok
}

/** Another tab, or this one before it was reloaded, may have been first: the cookies of its response count, and can be on their way. */
async function isRenewedElsewhere({ code }: Partial<ErrorBody>): Promise<boolean> {
  for (let tries = code === 'REFRESH_TOKEN_USED' ? LOOKS : 1; tries > 0; tries--) {
    if (await isSignedIn()) return true
    if (tries > 1) await new Promise(resolve => setTimeout(resolve, BETWEEN_LOOKS_MS))
  }
  return false
}

const isSignedIn = async (): Promise<boolean> => (await fetch('/users/me')).ok
