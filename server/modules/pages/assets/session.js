// Who is signed in: tokens in sessionStorage, for this tab alone. Tabs of one browser share new tokens, so that
// a link of a mail that opens in a new tab finds its owner there, and no tab uses a refresh token that another has used up.
import { call, Refusal } from './api.js'

const KEY = 'svc.session'
const MARGIN_MS = 30_000
/** Set while some tab of this browser is signed in; says nothing else. */
const MARK = 'svc.signed-in'
/** How long a tab that is signed in waits for a newer session of another one. */
const NEWER_MS = 200
/** How long a tab without a session waits for that of another one, which may be slow to respond. */
const SESSION_MS = 2000
const channel = new BroadcastChannel('svc.session')

export function session() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY))
  } catch {
    return null
  }
}

const keep = entry => {
  sessionStorage.setItem(KEY, JSON.stringify(entry))
  localStorage.setItem(MARK, '1')
  changed()
}

/** Keeps what a sign-in or a renewal answered. */
export function save({ accessToken, refreshToken, expiresIn }) {
  const entry = { accessToken, refreshToken, account: accountOf(accessToken), savedAt: Date.now(), until: Date.now() + expiresIn * 1000 }
  keep(entry)
  channel.postMessage({ entry })
}

// The subject of the access token identifies the tabs of one account; only the server verifies tokens.
const accountOf = token => JSON.parse(atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))).sub

export function clearSession() {
  const account = session()?.account
  sessionStorage.removeItem(KEY)
  localStorage.removeItem(MARK)
  if (account) channel.postMessage({ gone: account })
  changed()
}

const listeners = new Set()
/** Runs `listener` now and whenever somebody signs in or out; returns a function that ends this. */
export const onSession = listener => {
  listeners.add(listener)
  listener(session())
  return () => listeners.delete(listener)
}
const changed = () => { for (const listener of [...listeners]) listener(session()) }

channel.onmessage = ({ data: { ask, entry, gone } }) => {
  const mine = session()
  if (ask && mine) channel.postMessage({ entry: mine })
  if (entry && (mine ? mine.account === entry.account && mine.savedAt < entry.savedAt : waiting)) {
    keep(entry)
    received()
  }
  if (gone && mine?.account === gone) {
    sessionStorage.removeItem(KEY)
    changed()
  }
}

let waiting = false
let received = () => undefined
/** Asks the other tabs for their session, or for a newer one; waits until one comes, or for `ms`. */
async function ask(ms) {
  waiting = true
  channel.postMessage({ ask: true })
  await new Promise(resolve => {
    received = resolve
    setTimeout(resolve, ms)
  })
  waiting = false
}

let finding = null
/** The session of this tab, else that of another tab of this browser, else null. */
export async function findSession() {
  if (session() || !localStorage.getItem(MARK)) return session()
  finding ??= ask(SESSION_MS).finally(() => { finding = null })
  await finding
  // The tab that was signed in is closed: the next page need not wait.
  if (!session()) localStorage.removeItem(MARK)
  return session()
}

const EXPIRED = new Refusal('You were signed out. Please sign in again.', { status: 401, link: { text: 'Sign in', href: '/login' } })

let renewing = null
/** A new pair of tokens; whoever asks meanwhile gets the same. */
export function renew() {
  renewing ??= exchange().finally(() => { renewing = null })
  return renewing
}

async function exchange() {
  const before = session()
  await ask(NEWER_MS)
  const { refreshToken, savedAt } = session() ?? {}
  if (!refreshToken) throw EXPIRED
  if (savedAt !== before?.savedAt) return
  try {
    save(await call('POST', '/auth/refresh', { body: { refreshToken } }))
  } catch (error) {
    if (error.status !== 401 && error.status !== 403) throw error
    // Another tab may have been quicker by a moment.
    await ask(NEWER_MS)
    if (session()?.savedAt !== savedAt) return
    clearSession()
    throw EXPIRED
  }
}

/** A call as who is signed in; renews an access token that has run out. */
export async function callAs(method, path, options = {}) {
  if (session() && session().until - Date.now() < MARGIN_MS) await renew()
  const { accessToken } = session() ?? {}
  if (!accessToken) throw EXPIRED
  try {
    return await call(method, path, { ...options, token: accessToken })
  } catch (error) {
    if (error.status !== 401) throw error
    await renew()
    return call(method, path, { ...options, token: session()?.accessToken })
  }
}

export async function signOut() {
  const { refreshToken } = session() ?? {}
  if (refreshToken) await call('POST', '/auth/logout', { body: { refreshToken } })
  clearSession()
}
